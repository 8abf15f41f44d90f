import assert from "node:assert/strict";
import type { JobEntry } from "../../ground/storage/queue/jobs.js";
import type { JobScenario } from "./scenario.js";

function entriesOf(...positions: readonly number[]): JobEntry[] {
  return positions.map((position) => ({ position, value: { row: position } }));
}

const step = { processed: 1, total: 2, counts: {}, cursor: 1 } as const;

export const advanceScenarios: readonly JobScenario[] = [
  {
    name: "an advance stores progress, counts, rate and its time",
    async run(stage) {
      const { id, lease, startedAt, version } = await stage.begun();
      await stage.advance(2);
      const progress = { processed: 1_000, total: 2_500_000_000, counts: { created: 998, failed: 2 }, rate: 1234.5678 };
      assert.equal(await stage.store.advance(lease, { ...progress, cursor: { row: 1_000 } }), true);
      const { processed, total, counts, rate, advancedAt, ...state } = await stage.state(id);
      assert.deepStrictEqual({ processed, total, counts, rate }, progress);
      assert.ok(advancedAt !== undefined && startedAt !== undefined && advancedAt > startedAt);
      assert.equal(state.status, "processing");
      assert.notEqual(state.version, version);
    },
  },
  {
    name: "an advance replaces the values of the previous one, also with an unknown rate or total",
    async run(stage) {
      const { id, lease } = await stage.begun();
      assert.equal(await stage.store.advance(lease, { ...step, counts: { created: 1 }, rate: 5 }), true);
      assert.equal(await stage.store.advance(lease, { processed: 2, total: null, counts: { failed: 2 }, cursor: undefined }), true);
      const { processed, total, counts, rate } = await stage.state(id);
      assert.deepStrictEqual({ processed, total, counts, rate }, { processed: 2, total: null, counts: { failed: 2 }, rate: undefined });
    },
  },
  {
    name: "the next attempt continues at the cursor of the last advance",
    async run(stage) {
      const { type, lease } = await stage.begun({ cursor: { row: 0 } });
      for (const row of [10, 20]) assert.equal(await stage.store.advance(lease, { ...step, cursor: { row } }), true);
      assert.equal(await stage.store.release(lease, { delayMs: 0, failed: false }), true);
      const next = await stage.claimOne(type);
      assert.deepStrictEqual([next.cursor, next.processed], [{ row: 20 }, 1]);
    },
  },
  {
    name: "an advance sets the attempts to 0, and later attempts count from there",
    async run(stage) {
      const { id, type } = await stage.overdue();
      const { lease, attempts } = await stage.claimOne(type, { leaseMs: 5 });
      assert.equal(attempts, 1);
      assert.equal(await stage.store.advance(lease, step), true);
      assert.equal((await stage.state(id)).attempts, 0);
      await stage.advance(20);
      assert.equal((await stage.claimOne(type)).attempts, 1);
    },
  },
  {
    name: "an advance does not extend the lease",
    async run(stage) {
      const { type, lease } = await stage.begun({}, 5);
      assert.equal(await stage.store.advance(lease, step), true);
      await stage.advance(20);
      assert.equal((await stage.claimOne(type)).lease.fence, lease.fence + 1);
    },
  },
  {
    name: "entries are appended and are listed in pages by position",
    async run(stage) {
      const { id, lease } = await stage.begun({ entries: entriesOf(1, 2) });
      assert.equal(await stage.store.advance(lease, { ...step, entries: entriesOf(3, 10) }), true);
      assert.equal(await stage.store.advance(lease, { ...step, entries: entriesOf(11, 12, 100) }), true);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 3), entriesOf(1, 2, 3));
      assert.deepStrictEqual(await stage.store.entries(id, 3, 3), entriesOf(10, 11, 12));
      assert.deepStrictEqual(await stage.store.entries(id, 9, 1), entriesOf(10));
      assert.deepStrictEqual(await stage.store.entries(id, 12, 3), entriesOf(100));
      assert.deepStrictEqual(await stage.store.entries(id, 100, 3), []);
      assert.deepStrictEqual(await stage.store.entries(stage.name(), 0, 3), []);
    },
  },
  {
    name: "entries appended in any order are listed by position",
    async run(stage) {
      const { id, lease } = await stage.begun();
      assert.equal(await stage.store.advance(lease, { ...step, entries: entriesOf(9, 7) }), true);
      assert.equal(await stage.store.advance(lease, { ...step, entries: entriesOf(8, 1) }), true);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), entriesOf(1, 7, 8, 9));
    },
  },
  {
    name: "an entry for an occupied position is dropped, and the others are stored",
    async run(stage) {
      const { id, lease } = await stage.begun();
      assert.equal(await stage.store.advance(lease, { ...step, entries: entriesOf(1, 2) }), true);
      const again = [{ position: 2, value: "again" }, ...entriesOf(3), { position: 3, value: "again" }];
      assert.equal(await stage.store.advance(lease, { ...step, processed: 2, entries: again }), true);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), entriesOf(1, 2, 3));
      assert.equal((await stage.state(id)).processed, 2);
    },
  },
  {
    name: "positions from 0 to the highest safe integer are exact",
    async run(stage) {
      const highest = Number.MAX_SAFE_INTEGER;
      const { id, lease } = await stage.begun({ entries: entriesOf(0) });
      assert.equal(await stage.store.advance(lease, { ...step, entries: entriesOf(2 ** 31, 2 ** 32 + 1, highest - 1, highest) }), true);
      assert.deepStrictEqual(await stage.store.entries(id, -1, 10), entriesOf(0, 2 ** 31, 2 ** 32 + 1, highest - 1, highest));
      assert.deepStrictEqual(await stage.store.entries(id, highest - 1, 10), entriesOf(highest));
    },
  },
  {
    name: "10,000 entries can be appended at once",
    async run(stage) {
      const { id, lease } = await stage.begun();
      const entries = entriesOf(...Array.from({ length: 10_000 }, (_, position) => position + 1));
      assert.equal(await stage.store.advance(lease, { ...step, entries }), true);
      assert.deepStrictEqual(await stage.store.entries(id, 9_990, 100), entries.slice(9_990));
      assert.equal((await stage.store.entries(id, 0, 20_000)).length, 10_000);
    },
  },
  {
    name: "jobs do not share entries",
    async run(stage) {
      const [first, second] = [await stage.begun({ entries: entriesOf(1) }), await stage.begun({ entries: entriesOf(1, 2) })];
      assert.deepStrictEqual(await stage.store.entries(first.id, 0, 10), entriesOf(1));
      assert.deepStrictEqual(await stage.store.entries(second.id, 0, 10), entriesOf(1, 2));
    },
  },
];
