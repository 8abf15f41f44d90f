import assert from "node:assert/strict";
import type { ClaimedTask } from "../../ground/storage/queue/subscribers.js";
import { failure, type SubscriberScenario, success } from "./stage.js";

export const fairnessScenarios: readonly SubscriberScenario[] = [
  {
    name: "10,000 tasks of one tenant do not delay those of another",
    async run(stage) {
      const name = await stage.register();
      for (let chunk = 0; chunk < 10; chunk++) await stage.enqueue(name, 1_000, { tenant: "busy" });
      await stage.advance(2);
      await stage.enqueue(name, 3, { tenant: "calm" });
      const tenants: (string | undefined)[] = [];
      let last: ClaimedTask | undefined;
      for (let round = 0; round < 3; round++) {
        const claimed = await stage.claim(name, { max: 2, after: last?.event });
        tenants.push(...claimed.map(({ event }) => event.tenant));
        last = claimed.at(-1);
        for (const { lease } of claimed) await stage.store.record(lease, success);
      }
      assert.deepStrictEqual(tenants.sort(), ["busy", "busy", "busy", "calm", "calm", "calm"]);
    },
  },
  {
    name: "a claim takes one task of each tenant before a second one of any, also if it takes all",
    async run(stage) {
      const name = await stage.register();
      await stage.enqueue(name, 5, { tenant: "a" });
      await stage.enqueue(name, 1, { tenant: "b" });
      await stage.enqueue(name, 2, { tenant: "c" });
      await stage.enqueue(name, 1);
      const claimed = await stage.claim(name, { max: 7 });
      const rounds = [claimed.slice(0, 4), claimed.slice(4, 6), claimed.slice(6)];
      assert.deepStrictEqual(
        rounds.map((round) => tenantsOf(round).sort()),
        [["", "a", "b", "c"], ["a", "c"], ["a"]],
      );
      assert.deepStrictEqual(tenantsOf(await stage.claim(name)), ["a", "a"]);
    },
  },
  {
    name: "claims that go on after the last tenant give each tenant a turn before any a second one",
    async run(stage) {
      const name = await stage.register();
      const tenants = ["", ...Array.from({ length: 7 }, () => stage.name())];
      for (const tenant of tenants) await stage.enqueue(name, 3, { tenant });
      for (const max of [1, 3]) {
        const turns: string[] = [];
        let last: ClaimedTask | undefined;
        while (turns.length < tenants.length) {
          const claimed = await stage.claim(name, { max: Math.min(max, tenants.length - turns.length), after: last?.event });
          assert.ok(claimed.length > 0);
          turns.push(...tenantsOf(claimed));
          last = claimed.at(-1);
        }
        assert.deepStrictEqual(turns.sort(), tenants.toSorted());
      }
    },
  },
  {
    name: "a tenant that is gone, comes last or has no name is a place to go on from, too",
    async run(stage) {
      const name = await stage.register();
      for (const tenant of ["b", "d"]) await stage.enqueue(name, 4, { tenant });
      await stage.enqueue(name, 4);
      const next = async (after: string | undefined) => tenantsOf(await stage.claim(name, { max: 1, after: { tenant: after } }))[0];
      const given = new Set([await next("c"), await next("zz"), await next(undefined)]);
      assert.deepStrictEqual(given, new Set(["d", "", "b"]));
      assert.equal(await next(""), "b");
    },
  },
  {
    name: "many tenants whose tasks are not due do not hide one that is",
    async run(stage) {
      const name = await stage.register();
      const events = Array.from({ length: 300 }, (_, index) => stage.eventFor([name], { tenant: `waiting ${String(index).padStart(4, "0")}` }));
      await stage.store.enqueue(events);
      for (let left = 300; left > 0; ) {
        const claimed = await stage.claim(name);
        assert.ok(claimed.length > 0);
        for (const { lease } of claimed) await stage.store.record(lease, { ...failure, delayMs: 600_000 });
        left -= claimed.length;
      }
      await stage.enqueue(name, 1, { tenant: "zz due" });
      const due = await stage.claimOne(name, { max: 1, after: { tenant: "a" } });
      assert.equal(due.event.tenant, "zz due");
      await stage.store.record(due.lease, success);
      await stage.dueBetween([name], 500_000, 600_000);
    },
  },
  {
    name: "retries of one tenant do not delay those of another",
    async run(stage) {
      const name = await stage.register();
      await stage.enqueue(name, 20, { tenant: "a" });
      await stage.enqueue(name, 1, { tenant: "b" });
      const claimed = await stage.claim(name);
      assert.equal(claimed.length, 21);
      for (const { lease } of claimed) await stage.store.record(lease, { ...failure, delayMs: 5 });
      await stage.advance(20);
      assert.deepStrictEqual(tenantsOf(await stage.claim(name, { max: 2 })).sort(), ["a", "b"]);
    },
  },
];

/** The tenants of tasks; the empty string stands for none. */
function tenantsOf(claimed: readonly ClaimedTask[]): string[] {
  return claimed.map(({ event }) => event.tenant ?? "");
}
