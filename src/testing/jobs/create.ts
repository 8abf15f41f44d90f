import assert from "node:assert/strict";
import type { NewJob } from "../../ground/storage/queue/jobs.js";
import type { JobScenario } from "./scenario.js";
import type { JobStage } from "./stage.js";

/** JSON values that an engine could change. */
const anyJson = [
  null,
  "",
  0,
  -1.5e-7,
  Number.MAX_SAFE_INTEGER,
  0.1 + 0.2,
  false,
  [],
  {},
  [null, [undefined, 1].slice(1)],
  "Ünïcode 😀 \u2028 \u0000 \\u0000 '\"$1 ?",
  { "": "empty", 'quote"': 1, nested: { deep: [{ a: null }] } },
] as const;

async function assertRoundTrip(stage: JobStage, input: unknown): Promise<void> {
  const { type, id } = await stage.create({ input, cursor: input, entries: [{ position: 0, value: input }] });
  const claimed = await stage.claimOne(type);
  assert.deepStrictEqual(claimed.input, input, "input");
  assert.deepStrictEqual(claimed.cursor, input, "cursor");
  assert.deepStrictEqual(await stage.store.entries(id, -1, 10), [{ position: 0, value: input }]);
  assert.equal(await stage.store.finish(claimed.lease, { status: "completed", result: input }), true);
  assert.deepStrictEqual((await stage.state(id)).result, input, "result");
}

export const createScenarios: readonly JobScenario[] = [
  {
    name: "a new job is queued without progress",
    async run(stage) {
      const job = await stage.create();
      const { createdAt, version, rate, ...state } = await stage.state(job.id);
      const { id, type, tenant, owner } = job;
      const undone = {
        attempts: 0,
        cancelRequested: false,
        resumable: false,
        processed: 0,
        total: null,
        counts: {},
        result: undefined,
        error: undefined,
      };
      const instants = { startedAt: undefined, advancedAt: undefined, finishedAt: undefined };
      assert.deepStrictEqual(state, { id, type, tenant, owner, status: "queued", ...undone, ...instants });
      assert.ok(createdAt instanceof Date && !Number.isNaN(createdAt.getTime()));
      assert.equal(rate, undefined);
      assert.ok(version.length > 0);
    },
  },
  {
    name: "a job can be created with a cursor, progress and entries",
    async run(stage) {
      const progress = { processed: 7, total: 10, counts: { succeeded: 6, failed: 1 }, rate: 2.5 };
      const entries = [{ position: 3, value: { code: "NOT_FOUND" } }];
      const { id, type } = await stage.create({ cursor: { at: 7 }, progress, entries });
      const { processed, total, counts, rate, cursor, advancedAt } = await stage.claimOne(type);
      assert.deepStrictEqual({ processed, total, counts, rate, cursor }, { ...progress, cursor: { at: 7 } });
      assert.equal(advancedAt, undefined);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), entries);
    },
  },
  {
    name: "a second create of the same id returns false and changes nothing",
    async run(stage) {
      const { id, type } = await stage.create({ entries: [{ position: 1, value: "first" }] });
      const before = await stage.state(id);
      const again: NewJob = stage.job({ id, input: "second", owner: "eve", entries: [{ position: 2, value: "second" }] });
      assert.equal(await stage.store.create(again), false);
      assert.deepStrictEqual(await stage.state(id), before);
      assert.deepStrictEqual(await stage.claim(again.type), []);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), [{ position: 1, value: "first" }]);
      assert.deepStrictEqual((await stage.claimOne(type)).input, { rows: 3 });
      assert.equal(await stage.store.create(again), false);
    },
  },
  {
    name: "get returns undefined for an unknown job",
    async run(stage) {
      assert.equal(await stage.store.get(stage.name()), undefined);
    },
  },
  {
    name: "a job without a tenant has tenant undefined",
    async run(stage) {
      const { id } = await stage.create({ tenant: undefined });
      assert.equal((await stage.state(id)).tenant, undefined);
    },
  },
  {
    name: "names and ids return any text unchanged",
    async run(stage) {
      for (const text of [`'"\\\n{}$1 ?`, "Ünïcode 😀", "x".repeat(500), "0", "null"]) {
        const name = `${text} ${stage.name()}`;
        const job = await stage.create({ id: name, type: name, tenant: name, owner: name });
        const { lease } = await stage.claimOne(name);
        assert.equal(lease.id, name);
        const { id, type, tenant, owner } = await stage.state(job.id);
        assert.deepStrictEqual([id, type, tenant, owner], [name, name, name, name]);
      }
    },
  },
  {
    name: "the input, cursor, entries and result return any JSON unchanged",
    async run(stage) {
      for (const value of anyJson) await assertRoundTrip(stage, value);
    },
  },
  {
    name: "an input of 1 MB is returned unchanged",
    async run(stage) {
      await assertRoundTrip(stage, { rows: Array.from({ length: 20_000 }, (_, row) => ({ row, text: `Ünïcode 😀 ${row} ${"x".repeat(20)}` })) });
    },
  },
  {
    name: "a value that a writer or reader changes later does not change the stored one",
    async run(stage) {
      const input = { rows: ["a"] };
      const entries = [{ position: 1, value: { text: "kept" } }];
      const counts = { succeeded: 1 };
      const { id, type } = await stage.create({ input, cursor: input, entries, progress: { processed: 1, total: null, counts } });
      input.rows.push("b");
      for (const { value } of entries) value.text = "changed";
      counts.succeeded = 2;
      const claimed = await stage.claimOne(type, { leaseMs: 5 });
      assert.deepStrictEqual([claimed.input, claimed.cursor, claimed.counts], [{ rows: ["a"] }, { rows: ["a"] }, { succeeded: 1 }]);
      Object.assign(claimed.input as object, { rows: "changed" });
      Object.assign(claimed.counts, { succeeded: 3 });
      for (const { value } of await stage.store.entries(id, 0, 10)) Object.assign(value as object, { text: "changed" });
      await stage.advance(20);
      const again = await stage.claimOne(type);
      assert.deepStrictEqual([again.input, again.counts], [{ rows: ["a"] }, { succeeded: 1 }]);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), [{ position: 1, value: { text: "kept" } }]);
    },
  },
  {
    name: "only the queued jobs of a tenant are counted",
    async run(shared) {
      const stage = await shared.another();
      const tenant = stage.name();
      const type = stage.name();
      for (let count = 0; count < 5; count++) await stage.create({ tenant, type });
      await stage.create();
      await stage.create({ tenant: undefined });
      assert.equal(await stage.store.countQueued(tenant), 5);
      assert.equal(await stage.store.countQueued(undefined), 1);
      assert.equal(await stage.store.countQueued(stage.name()), 0);
      const [first, second] = await stage.claim(type, { max: 2 });
      assert.ok(first !== undefined && second !== undefined);
      assert.equal(await stage.store.countQueued(tenant), 3);
      assert.equal(await stage.store.release(first.lease, { delayMs: 0, failed: false }), true);
      assert.equal(await stage.store.finish(second.lease, { status: "completed" }), true);
      assert.equal(await stage.store.countQueued(tenant), 3);
    },
  },
];
