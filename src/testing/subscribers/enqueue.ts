import assert from "node:assert/strict";
import { together } from "../queue/queue.js";
import type { SubscriberScenario } from "./stage.js";

export const enqueueScenarios: readonly SubscriberScenario[] = [
  {
    name: "an event goes to each of its subscribers with an unchanged body",
    async run(stage) {
      const names = [await stage.register(), await stage.register()];
      const body = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const event = stage.eventFor(names, { body, tenant: "acme", trace: "00-trace" });
      assert.equal(await stage.store.enqueue([event]), 2);
      body.fill(0);
      for (const [index, name] of names.entries()) {
        const { event: given, ...claimed } = await stage.claimOne(name);
        const { id, type, tenant, createdAt, trace } = event;
        assert.deepStrictEqual(
          { ...given, body: [...given.body] },
          { id, type, tenant, createdAt, trace, body: Array.from({ length: 256 }, (_, byte) => byte) },
        );
        assert.deepStrictEqual(claimed, { lease: { id: event.tasks[index]?.id, fence: 1 }, name, attempt: 1, interrupted: 0 });
        assert.deepStrictEqual([...((await stage.store.event(claimed.lease.id))?.body ?? [])].slice(0, 3), [0, 1, 2]);
      }
    },
  },
  {
    name: "a new task is pending, due and without attempts",
    async run(stage) {
      const name = await stage.register();
      const event = stage.eventFor([name], { tenant: "acme" });
      await stage.store.enqueue([event]);
      const id = event.tasks[0]?.id ?? "";
      const task = await stage.store.get(id);
      assert.ok(task !== undefined);
      const { createdAt, dueAt, position, ...rest } = task;
      const nothing = { attempts: 0, endedAt: undefined, lastError: undefined };
      assert.deepStrictEqual(rest, { id, name, event: event.id, type: event.type, tenant: "acme", state: "pending", ...nothing });
      assert.ok(Number.isSafeInteger(position) && dueAt !== undefined && dueAt.getTime() - createdAt.getTime() < 50);
      assert.equal(await stage.store.get(stage.name()), undefined);
      assert.equal(await stage.store.event(stage.name()), undefined);
    },
  },
  {
    name: "many events are enqueued at once, in order, also with empty bodies",
    async run(stage) {
      const name = await stage.register();
      const events = Array.from({ length: 1_000 }, (_, index) => stage.eventFor([name], { body: Buffer.from(`${index} `.repeat(index % 3)) }));
      assert.equal(await stage.store.enqueue(events), 1_000);
      const listed = await stage.store.list({ name, limit: 2_000 });
      assert.deepStrictEqual(
        listed.map(({ event }) => event).reverse(),
        events.map(({ id }) => id),
      );
      for (const [index, text] of [
        [0, ""],
        [500, "500 500 "],
        [997, "997 "],
        [999, ""],
      ] as const)
        assert.equal(Buffer.from((await stage.store.event(events[index]?.tasks[0]?.id ?? ""))?.body ?? "none").toString(), text);
      assert.deepStrictEqual(await stage.store.counts(name), { pending: 1_000, running: 0, succeeded: 0, dead: 0, canceled: 0 });
      assert.equal(await stage.store.enqueue([]), 0);
      assert.equal(await stage.store.enqueue([stage.eventFor([])]), 0);
    },
  },
  {
    name: "an existing event or task is not changed",
    async run(stage) {
      const [first, second] = [await stage.register(), await stage.register()];
      const event = stage.eventFor([first]);
      assert.equal(await stage.store.enqueue([event]), 1);
      const again = { ...event, body: Buffer.from("other"), tasks: [...event.tasks, { id: stage.name(), name: second }] };
      assert.equal(await stage.store.enqueue([again, again]), 1);
      for (const name of [first, second]) assert.equal(Buffer.from((await stage.claimOne(name)).event.body).toString(), "{}");
      assert.equal(await stage.store.enqueue([event]), 0);
      assert.equal(await stage.state(event.tasks[0]?.id ?? ""), "running");
    },
  },
  {
    name: "an event that is enqueued 20 times concurrently is stored once",
    async run(stage) {
      const name = await stage.register();
      const event = stage.eventFor([name]);
      const made = await together(() => stage.store.enqueue([event]));
      assert.deepStrictEqual(
        made.filter((count) => count > 0),
        [1],
      );
      assert.equal((await stage.claim(name)).length, 1);
    },
  },
  {
    name: "the depth counts pending tasks, up to a maximum",
    async run(stage) {
      const { depth } = stage.store;
      if (depth === undefined) return;
      const name = await stage.register();
      const before = (await depth.call(stage.store, 1_000_000)) ?? 0;
      await stage.enqueue(name, 5);
      const [one] = await stage.claim(name, { max: 2 });
      assert.ok(one !== undefined);
      await stage.store.record(one.lease, { state: "pending", delayMs: 60_000, error: "later" });
      assert.equal(await depth.call(stage.store, 1_000_000), before + 4);
      assert.equal(await depth.call(stage.store, 3), 3);
    },
  },
];
