import assert from "node:assert/strict";
import { rolledBack } from "../queue/rolledBack.js";
import { type SubscriberScenario, type SubscriberStage, subscribersOf, success } from "./stage.js";

const needs = { ephemeral: true } as const;

async function isKnown({ store }: SubscriberStage, name: string): Promise<boolean> {
  return (await store.subscribers()).some((known) => known.name === name);
}

async function isActive({ store }: SubscriberStage, name: string): Promise<boolean> {
  return (await store.active())?.subscribers.some((active) => active.name === name) ?? false;
}

/** Sweeps until nothing is left that it removes. */
async function sweepAll({ store }: SubscriberStage): Promise<void> {
  while ((await store.sweep(60_000, 100)) > 0);
}

export const ephemeralScenarios: readonly SubscriberScenario[] = [
  {
    name: "an ephemeral subscriber gets tasks as others do, and stays as long as it is registered again",
    needs,
    async run(stage) {
      const name = stage.name();
      const register = (lifeMs: number) => stage.store.registerEphemeral?.([{ name, patterns: ["order.*"] }], lifeMs);
      assert.deepStrictEqual(await register(60_000), [name]);
      assert.deepStrictEqual(await register(60_000), []);
      const [known] = (await stage.store.subscribers()).filter((one) => one.name === name);
      assert.deepStrictEqual([known?.patterns, known?.retiredAt], [["order.*"], undefined]);
      await stage.enqueue(name);
      assert.equal(await stage.store.record((await stage.claimOne(name)).lease, success), true);
      assert.deepStrictEqual(await register(20), []);
      await stage.advance(40);
      assert.deepStrictEqual(await register(60_000), [], "it is active until a process retires it");
      await stage.store.retire(60_000);
      assert.equal(await isActive(stage, name), true);
    },
  },
  {
    name: "an ephemeral subscriber whose time is over is retired, and nothing of it is left",
    needs,
    async run(stage) {
      const [name, other] = [stage.name(), await stage.register()];
      await stage.store.registerEphemeral?.([{ name, patterns: ["*"] }], 20);
      const event = stage.eventFor([name, other]);
      const [first, second] = event.tasks;
      await stage.store.enqueue([event]);
      const [open = ""] = await stage.enqueue(name);
      await stage.store.record((await stage.claimOne(name, { max: 1 })).lease, success);
      await stage.advance(40);
      assert.deepStrictEqual((await stage.store.retire(60_000)).includes(name), false, "only lasting names are returned");
      assert.equal(await isActive(stage, name), false);
      assert.equal(await stage.store.enqueue([stage.eventFor([name])]), 0);
      await sweepAll(stage);
      assert.deepStrictEqual(await Promise.all([first?.id ?? "", open].map((id) => stage.state(id))), [undefined, undefined]);
      assert.equal(await isKnown(stage, name), false);
      assert.equal((await stage.store.event(second?.id ?? ""))?.id, event.id, "the event of another task stays");
      assert.deepStrictEqual(await stage.store.registerEphemeral?.([{ name, patterns: ["*"] }], 60_000), [name]);
      assert.equal(await isActive(stage, name), true);
    },
  },
  {
    name: "tasks of ephemeral subscribers that ended are removed by any sweep, those of others stay",
    needs,
    async run(stage) {
      const [name, other] = [stage.name(), await stage.register()];
      await stage.store.registerEphemeral?.([{ name, patterns: ["*"] }], 60_000);
      const ended: string[] = [];
      for (const one of [name, other]) {
        await stage.enqueue(one, 3);
        for (const { lease } of await stage.claim(one)) {
          ended.push(lease.id);
          await stage.store.record(lease, success);
        }
      }
      const [pending = ""] = await stage.enqueue(name);
      await sweepAll(stage);
      const states = await Promise.all([...ended, pending].map((id) => stage.state(id)));
      assert.deepStrictEqual(states, [undefined, undefined, undefined, "succeeded", "succeeded", "succeeded", "pending"]);
      assert.equal(await isKnown(stage, name), true);
    },
  },
  {
    name: "an ephemeral subscriber that is unregistered is retired at once, and others are not; what still runs may end",
    needs,
    async run(stage) {
      const [name, other] = [stage.name(), await stage.register()];
      await stage.store.registerEphemeral?.([{ name, patterns: ["*"] }], 60_000);
      await stage.enqueue(name);
      const { lease } = await stage.claimOne(name);
      const [pending = ""] = await stage.enqueue(name);
      await stage.store.unregisterEphemeral?.([name, other, stage.name()]);
      assert.deepStrictEqual([await isActive(stage, name), await isActive(stage, other)], [false, true]);
      assert.equal(await stage.state(pending), "canceled");
      await sweepAll(stage);
      assert.deepStrictEqual([await stage.state(lease.id), await isKnown(stage, name)], ["running", true]);
      assert.equal(await stage.store.record(lease, success), true);
      await sweepAll(stage);
      assert.deepStrictEqual([await stage.state(lease.id), await isKnown(stage, name)], [undefined, false]);
    },
  },
  {
    name: "an ephemeral subscriber of a transaction that is rolled back was never there",
    needs: { ...needs, transactions: true },
    async run(stage) {
      const name = stage.name();
      await rolledBack(stage, async (tx) => {
        await subscribersOf(tx).registerEphemeral?.([{ name, patterns: ["*"] }], 60_000);
      });
      assert.equal(await isKnown(stage, name), false);
    },
  },
];
