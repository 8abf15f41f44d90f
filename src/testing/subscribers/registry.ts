import assert from "node:assert/strict";
import type { SubscriberScenario, SubscriberStage } from "./stage.js";

export const registryScenarios: readonly SubscriberScenario[] = [
  {
    name: "subscribers keep their patterns, also of unusual characters, and are listed by name",
    async run(stage) {
      const names = [`${stage.name()} "ä😀`, `${stage.name()}`];
      const patterns = [["order.*", `"'\\ ä😀`], ["*"]];
      await stage.store.register(names.map((name, index) => ({ name, patterns: patterns[index] ?? [] })));
      const known = await knownOf(stage, names);
      assert.deepStrictEqual(
        known.map((one) => [one.name, one.patterns, one.retiredAt]),
        names.map((name, index) => [name, patterns[index], undefined]),
      );
      assert.ok(known.every(({ lastSeenAt }) => Number.isFinite(lastSeenAt.getTime())));
      assert.deepStrictEqual(await activeOf(stage, names), [
        { name: names[0], patterns: patterns[0] },
        { name: names[1], patterns: patterns[1] },
      ]);
      await stage.store.register([]);
      await stage.store.touch([]);
    },
  },
  {
    name: "the generation changes with the active subscribers and their patterns, and with nothing else",
    async run(stage) {
      const name = await stage.register(["order.*"]);
      const generations = new Set<string>();
      const changed = async () => {
        const { generation } = (await stage.store.active()) ?? {};
        assert.ok(generation !== undefined && !generations.has(generation));
        generations.add(generation);
        assert.equal(await stage.store.active(generation), undefined);
        return generation;
      };
      const same = async (known: string) => assert.equal(await stage.store.active(known), undefined);
      const first = await changed();
      await stage.store.register([{ name, patterns: ["order.*"] }]);
      await stage.store.touch([name, stage.name()]);
      await stage.enqueue(name);
      assert.deepStrictEqual(await stage.store.retire(3_600_000), []);
      await same(first);
      await stage.store.register([{ name, patterns: ["order.*", "user.*"] }]);
      const second = await changed();
      await stage.register();
      await changed();
      assert.notEqual(await stage.store.active(second), undefined);
      await stage.advance(2);
      assert.ok((await stage.store.retire(0)).includes(name));
      await changed();
      await stage.store.touch([name]);
      await changed();
      assert.deepStrictEqual(await activeOf(stage, [name]), [{ name, patterns: ["order.*", "user.*"] }]);
    },
  },
  {
    name: "20 processes that register the same subscribers at the same time all succeed",
    async run(stage) {
      const names = Array.from({ length: 5 }, () => stage.name());
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const given = names.map((name) => ({ name, patterns: ["*"] }));
          return stage.store.register(index % 2 === 0 ? given : given.reverse());
        }),
      );
      assert.equal((await activeOf(stage, names)).length, 5);
    },
  },
  {
    name: "registering or touching a subscriber notes the time; one that no process has is retired, and its pending tasks are canceled",
    async run(stage) {
      const [registered, touched, unused] = [await stage.register(), await stage.register(), await stage.register()];
      const [pending = ""] = await stage.enqueue(unused);
      const delayed = await stage.claimOne(unused);
      await stage.store.record(delayed.lease, { state: "pending", delayMs: 60_000, error: "later" });
      const [held = ""] = await stage.enqueue(unused);
      const { lease } = await stage.claimOne(unused);
      const [fresh = ""] = await stage.enqueue(unused, 1, { tenant: "acme" });
      await stage.advance(1_500);
      await stage.store.register([{ name: registered, patterns: ["*"] }]);
      await stage.store.touch([touched]);
      const retired = await stage.store.retire(1_000);
      assert.deepStrictEqual(
        [registered, touched, unused].map((name) => retired.includes(name)),
        [false, false, true],
      );
      assert.deepStrictEqual(await Promise.all([pending, fresh, held].map((id) => stage.state(id))), ["canceled", "canceled", "running"]);
      const [known] = await knownOf(stage, [unused]);
      assert.ok(known?.retiredAt instanceof Date);
      assert.deepStrictEqual(await activeOf(stage, [unused]), []);
      // What still runs may end.
      assert.equal(await stage.store.record(lease, { state: "succeeded" }), true);
      assert.deepStrictEqual((await stage.store.retire(1_000)).includes(unused), false);
      assert.equal((await stage.store.get(pending))?.dueAt, undefined);
    },
  },
  {
    name: "a retired subscriber gets no tasks until it is registered again",
    async run(stage) {
      const [name, other] = [await stage.register(), await stage.register()];
      await stage.advance(2);
      await stage.store.retire(0);
      await stage.store.touch([other]);
      const event = stage.eventFor([name, other, stage.name()]);
      assert.equal(await stage.store.enqueue([event]), 1);
      assert.equal(await stage.state(event.tasks[0]?.id ?? ""), undefined);
      assert.equal(await stage.state(event.tasks[1]?.id ?? ""), "pending");
      await stage.store.register([{ name, patterns: ["user.*"] }]);
      assert.equal((await knownOf(stage, [name]))[0]?.retiredAt, undefined);
      await stage.enqueue(name);
      assert.equal((await stage.claim(name)).length, 1);
    },
  },
];

async function knownOf({ store }: SubscriberStage, names: readonly string[]) {
  return (await store.subscribers()).filter(({ name }) => names.includes(name));
}

async function activeOf({ store }: SubscriberStage, names: readonly string[]) {
  return (await store.active())?.subscribers.filter(({ name }) => names.includes(name)) ?? [];
}
