import assert from "node:assert/strict";
import type { ClaimedJob, ClaimRequest } from "../../ground/storage/queue/jobs.js";
import { together } from "../queue/queue.js";
import type { JobScenario } from "./scenario.js";
import { type JobStage, only } from "./stage.js";

/** Creates jobs of one type, `count` of each tenant, all of one tenant before those of the next. */
async function createFor(stage: JobStage, type: string, tenants: readonly (string | undefined)[], count: number): Promise<void> {
  for (const tenant of tenants) for (let index = 0; index < count; index++) await stage.create({ type, tenant });
}

/** Claims and ends one job after the other, as a worker with room for one. Returns their tenants. */
async function oneByOne(stage: JobStage, type: string, count: number): Promise<readonly (string | undefined)[]> {
  const claimed: ClaimedJob[] = [];
  let after: ClaimRequest["after"];
  while (claimed.length < count) {
    const job = only(await stage.claim(type, { max: 1, after }));
    after = job;
    claimed.push(job);
    assert.equal(await stage.store.finish(job.lease, { status: "completed" }), true);
  }
  return claimed.map(({ tenant }) => tenant);
}

function tenantsOf(jobs: readonly ClaimedJob[]): ReadonlySet<string | undefined> {
  return new Set(jobs.map(({ tenant }) => tenant));
}

export const turnScenarios: readonly JobScenario[] = [
  {
    name: "a tenant without a job in progress comes before the older jobs of one that has any",
    async run(stage) {
      const [type, busy, other] = [stage.name(), stage.name(), stage.name()];
      await createFor(stage, type, [busy], 11);
      const [running] = await stage.claim(type, { max: 1 });
      await createFor(stage, type, [other], 1);
      assert.equal(only(await stage.claim(type, { max: 1, after: running })).tenant, other);
      assert.equal(only(await stage.claim(type, { max: 1 })).tenant, busy);
    },
  },
  {
    name: "a claim takes one job of each tenant before the second of any",
    async run(stage) {
      const type = stage.name();
      const tenants = [stage.name(), stage.name(), stage.name()];
      await createFor(stage, type, tenants, 4);
      assert.deepStrictEqual(tenantsOf(await stage.claim(type, { max: 3 })), new Set(tenants));
      assert.equal((await stage.claim(type, { maxPerTenant: 2 })).length, 3);
      assert.deepStrictEqual(await stage.claim(type, { maxPerTenant: 2 }), []);
    },
  },
  {
    name: "tenants take turns at a worker that runs one job at a time",
    async run(stage) {
      const type = stage.name();
      const tenants = [stage.name(), stage.name(), stage.name()];
      await createFor(stage, type, tenants, 4);
      const turns = await oneByOne(stage, type, 12);
      for (let round = 0; round < 12; round += 3) assert.deepStrictEqual(new Set(turns.slice(round, round + 3)), new Set(tenants));
    },
  },
  {
    name: "jobs without a tenant take their turn like those of one more tenant",
    async run(shared) {
      const stage = await shared.another();
      const [type, tenant] = [stage.name(), stage.name()];
      await createFor(stage, type, [undefined, tenant], 3);
      assert.deepStrictEqual(await oneByOne(stage, type, 6), [undefined, tenant, undefined, tenant, undefined, tenant]);
    },
  },
  {
    name: "a turn passes over tenants that have nothing due, and over jobs of other types",
    async run(stage) {
      const [type, done, later, other, due] = [stage.name(), stage.name(), stage.name(), stage.name(), stage.name()];
      const ended = await stage.begun({ tenant: done });
      assert.equal(await stage.store.finish(ended.lease, { status: "completed" }), true);
      const released = await stage.begun({ type, tenant: later });
      assert.equal(await stage.store.release(released.lease, { delayMs: 60_000, failed: true }), true);
      await createFor(stage, stage.name(), [other], 2);
      await createFor(stage, type, [due], 2);
      for (const after of [done, later, other, due].map((tenant) => ({ tenant }))) {
        const [claimed] = await stage.claim(type, { max: 1, after });
        assert.equal(claimed?.tenant, due);
        assert.equal(await stage.store.release(claimed.lease, { delayMs: 0, failed: false }), true);
      }
    },
  },
  {
    name: "a turn begins with the tenant after the given one, however many jobs of other types wait",
    async run(stage) {
      const [type, foreign] = [stage.name(), stage.name()];
      const tenants = [stage.name(), stage.name(), stage.name()].sort();
      await createFor(stage, foreign, [...tenants, stage.name(), stage.name()], 30);
      await createFor(stage, type, tenants, 3);
      const [first, second, third] = tenants;
      const claimed = await stage.claim(type, { max: 3, after: { tenant: first } });
      assert.deepStrictEqual(
        claimed.map(({ tenant }) => tenant),
        [second, third, first],
      );
      for (const { lease } of claimed) assert.equal(await stage.store.release(lease, { delayMs: 0, failed: false }), true);
      assert.deepStrictEqual(new Set(await oneByOne(stage, type, 9)), new Set(tenants));
      assert.deepStrictEqual(await stage.claim(type), []);
    },
  },
  {
    name: "a tenant's jobs of several types are claimed by age, a retry that is due among them",
    async run(stage) {
      const tenant = stage.name();
      const types = [stage.name(), stage.name()];
      const ids: string[] = [];
      for (let index = 0; index < 6; index++) {
        ids.push((await stage.create({ type: types[index % 2] ?? "", tenant })).id);
        await stage.advance(2);
      }
      for (const { lease } of await stage.claim("", { types, max: 2 })) {
        assert.equal(await stage.store.release(lease, { delayMs: lease.id === ids[0] ? 60_000 : 5, failed: true }), true);
      }
      await stage.advance(20);
      const claimed = await stage.claim("", { types, max: 3, maxPerTenant: 3 });
      assert.deepStrictEqual(
        claimed.map(({ id }) => id),
        ids.slice(1, 4),
      );
    },
  },
  {
    name: "a job that was taken over from a dead worker counts as one in progress",
    async run(stage) {
      const [type, busy, other] = [stage.name(), stage.name(), stage.name()];
      const { id } = await stage.overdue({ type, tenant: busy });
      assert.equal((await stage.claimOne(type)).id, id);
      await createFor(stage, type, [busy, other], 2);
      assert.equal(only(await stage.claim(type, { max: 1, after: { tenant: other } })).tenant, other);
      assert.equal((await stage.claim(type, { maxPerTenant: 1 })).length, 0);
    },
  },
  {
    name: "20 concurrent claims in turns take each job once",
    async run(stage) {
      const type = stage.name();
      const tenants = Array.from({ length: 10 }, stage.name);
      await createFor(stage, type, tenants, 4);
      const claimed = (await together((index) => stage.claim(type, { max: 1, maxPerTenant: 2, after: { tenant: tenants[index % 10] } }))).flat();
      assert.equal(new Set(claimed.map(({ id }) => id)).size, 20);
      for (const tenant of tenants) assert.equal(claimed.filter((job) => job.tenant === tenant).length, 2);
    },
  },
];
