import assert from "node:assert/strict";
import type { ClaimedJob } from "../../ground/storage/queue/jobs.js";
import type { JobScenario } from "./scenario.js";
import type { JobStage } from "./stage.js";

function idsOf(jobs: readonly ClaimedJob[]): readonly string[] {
  return jobs.map(({ id }) => id);
}

/** Jobs of one type with different creation times, oldest first. */
async function inOrder(stage: JobStage, type: string, tenants: readonly (string | undefined)[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const tenant of tenants) {
    ids.push((await stage.create({ type, tenant })).id);
    await stage.advance(2);
  }
  return ids;
}

export const claimScenarios: readonly JobScenario[] = [
  {
    name: "a claim starts the job: it is processing, at attempt 0, with a lease, its input and its cursor",
    async run(stage) {
      const job = await stage.create({ cursor: 5 });
      const before = await stage.state(job.id);
      const { lease, input, cursor, ...state } = await stage.claimOne(job.type);
      assert.equal(lease.id, job.id);
      assert.ok(Number.isSafeInteger(lease.fence));
      assert.deepStrictEqual([input, cursor], [{ rows: 3 }, 5]);
      assert.deepStrictEqual(await stage.state(job.id), state);
      assert.equal(state.status, "processing");
      assert.equal(state.attempts, 0);
      assert.ok(state.startedAt !== undefined && state.startedAt >= state.createdAt);
      assert.notEqual(state.version, before.version);
    },
  },
  {
    name: "a claim returns at most the requested number of jobs",
    async run(stage) {
      const type = stage.name();
      await inOrder(stage, type, Array.from({ length: 3 }, stage.name));
      assert.equal((await stage.claim(type, { max: 2 })).length, 2);
      assert.equal((await stage.claim(type, { max: 2 })).length, 1);
    },
  },
  {
    name: "only jobs of the requested types are claimed",
    async run(stage) {
      const [first, second, third] = [await stage.create(), await stage.create(), await stage.create()];
      await stage.advance(2);
      assert.deepStrictEqual(idsOf(await stage.claim(second.type)), [second.id]);
      const both = await stage.claim("", { types: [stage.name(), third.type, first.type] });
      assert.deepStrictEqual(new Set(idsOf(both)), new Set([first.id, third.id]));
      assert.deepStrictEqual(await stage.claim("", { types: [] }), []);
    },
  },
  {
    name: "a claim respects the limit per tenant, and takes younger jobs of other tenants instead",
    async run(stage) {
      const type = stage.name();
      const [busy, other] = [stage.name(), stage.name()];
      const ids = await inOrder(stage, type, [busy, busy, busy, other, busy]);
      assert.deepStrictEqual(new Set(idsOf(await stage.claim(type, { maxPerTenant: 2, max: 3 }))), new Set([ids[0], ids[1], ids[3]]));
      assert.deepStrictEqual(await stage.claim(type, { maxPerTenant: 2 }), []);
      assert.deepStrictEqual(idsOf(await stage.claim(type, { maxPerTenant: 3 })), [ids[2]]);
    },
  },
  {
    name: "jobs in progress count for their tenant regardless of worker and type",
    async run(stage) {
      const tenant = stage.name();
      const running = await stage.begun({ tenant });
      const waiting = await stage.create({ tenant });
      assert.deepStrictEqual(await stage.claim(waiting.type, { maxPerTenant: 1 }), []);
      assert.equal(await stage.store.finish(running.lease, { status: "completed" }), true);
      assert.deepStrictEqual(idsOf(await stage.claim(waiting.type, { maxPerTenant: 1 })), [waiting.id]);
    },
  },
  {
    name: "a job counts for its tenant until its lease expires or is released",
    async run(stage) {
      for (const how of ["over", "given back"] as const) {
        const tenant = stage.name();
        const running = await stage.begun({ tenant }, how === "over" ? 5 : 60_000);
        const waiting = await stage.create({ tenant });
        if (how === "over") await stage.advance(20);
        else assert.equal(await stage.store.release(running.lease, { delayMs: 60_000, failed: true }), true);
        assert.deepStrictEqual(idsOf(await stage.claim(waiting.type, { maxPerTenant: 1 })), [waiting.id], how);
        assert.deepStrictEqual(await stage.claim(running.type, { maxPerTenant: 1 }), [], how);
      }
    },
  },
  {
    name: "jobs without a tenant are counted as a tenant of their own",
    async run(shared) {
      const stage = await shared.another();
      const type = stage.name();
      const ids = await inOrder(stage, type, [undefined, undefined, stage.name()]);
      assert.deepStrictEqual(idsOf(await stage.claim(type, { maxPerTenant: 1 })), [ids[0], ids[2]]);
      assert.deepStrictEqual(await stage.claim(type, { maxPerTenant: 1 }), []);
    },
  },
  {
    name: "a claim takes over an expired lease: attempt and fence increase, status, start, progress and cursor stay",
    async run(stage) {
      const { type, lease, ...first } = await stage.overdue({ cursor: 2, progress: { processed: 2, total: 3, counts: { created: 2 } } });
      const second = await stage.claimOne(type);
      assert.deepStrictEqual(second.lease, { id: first.id, fence: lease.fence + 1 });
      assert.equal(second.attempts, 1);
      assert.equal(second.status, "processing");
      assert.deepStrictEqual([second.startedAt, second.cursor, second.counts], [first.startedAt, 2, { created: 2 }]);
      assert.deepStrictEqual(second.input, { rows: 3 });
      assert.notEqual(second.version, first.version);
    },
  },
  {
    name: "attempts and fence increase with each expired lease",
    async run(stage) {
      const { type, lease } = await stage.overdue();
      for (const attempts of [1, 2, 3]) {
        const next = await stage.claimOne(type, { leaseMs: 5 });
        assert.deepStrictEqual([next.attempts, next.lease.fence], [attempts, lease.fence + attempts]);
        await stage.advance(20);
      }
    },
  },
  {
    name: "a job of a dead worker is shown as processing",
    async run(stage) {
      const { id } = await stage.overdue();
      const { status, attempts } = await stage.state(id);
      assert.deepStrictEqual([status, attempts], ["processing", 0]);
    },
  },
];
