import { createService, defineResource, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { type SubscriberOptions, subscribers } from "restwright/subscribers";
import { FakeClock } from "restwright/testing";
import { webhooks } from "restwright/webhooks";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Receiver } from "../webhooks/emissionStage.js";
import { clockStage, day, hour, orders, pause, stageOn, until } from "./stage.js";

const nothing = () => {};

describe("on", () => {
  test.each<[string, string | readonly string[], object, string]>([
    [
      "an unknown type",
      "order.craeted",
      {},
      `on: no event type of the service matches "order.craeted" of "receipts". Did you mean "order.created"? There are: order.created, order.updated, order.removed, report.ready.`,
    ],
    ["a pattern that matches nothing", "orders.*", {}, `on: no event type of the service matches "orders.*" of "receipts".`],
    ["one unknown type among others", ["order.created", "report.done"], {}, `on: no event type of the service matches "report.done" of "receipts".`],
    ["a type that is none", "order created", {}, `on: "order created" of "receipts" is not an event type, nor a pattern such as "order.*".`],
    ["no types", [], {}, `on: the types of "receipts" must be an event type, or an array of 1 to 100; got an array.`],
    ["a misspelled option", "*", { atempts: 3 }, `on has no option "atempts"; did you mean "attempts"?`],
    [
      "a name with blanks",
      "*",
      { name: "send receipt" },
      `on: "name" must be letters, digits, ".", "_" and "-", at most 100 characters; got "send receipt".`,
    ],
    ["no name", "*", { name: undefined }, `on: "name" must be`],
    ["no attempts", "*", { attempts: 0 }, `on: "attempts" must be a whole number from 1 to 100; got 0.`],
    ["an empty schedule", "*", { scheduleMs: [] }, `on: "scheduleMs" must be an array of milliseconds`],
    ["a delay of more than a day", "*", { scheduleMs: [0, day + 1] }, `on: "scheduleMs" must be an array of milliseconds`],
    ["no room", "*", { concurrency: 0 }, `on: "concurrency" must be`],
    ["no time", "*", { timeoutMs: 0 }, `on: "timeoutMs" must be`],
    ["an onDead that is no function", "*", { onDead: "mail" }, `on: "onDead" must be a function; got "mail".`],
  ])("refuses %s", (_what, types, options, message) => {
    const { service } = stageOn({ storage: memoryStorage() });
    expect(() => service.on(types, { name: "receipts", ...options } as SubscriberOptions, nothing)).toThrow(message);
  });

  test("refuses a second handler of one name, and a handler that is none", () => {
    const { service } = stageOn({ storage: memoryStorage() });
    service.on("*", { name: "receipts" }, nothing);
    expect(() => service.on("order.created", { name: "receipts" }, nothing)).toThrow(
      `on: the service has a subscriber "receipts" already; names are unique.`,
    );
    expect(() => service.on("*", { name: "others" }, undefined as never)).toThrow(`on: the handler of "others" must be a function; got undefined.`);
  });
});

describe("subscribers()", () => {
  const storage = memoryStorage();
  test("refuses a misspelled option, and a value out of range", () => {
    expect(() => subscribers({ event: [] } as object)).toThrow(`subscribers has no option "event"; did you mean "events"?`);
    expect(() => subscribers({ scheduleMs: [] })).toThrow(`subscribers: "scheduleMs" must be`);
  });

  test.each<[string, Storage, string]>([
    ["subscribers", { ...storage, subscribers: undefined }, `The storage "memory" keeps no subscribers, which subscribers() needs`],
    [
      "transactions",
      { ...storage, subscribers: storage.subscribers, transaction: undefined } as unknown as Storage,
      `The storage "memory" has no transactions, which subscribers() needs`,
    ],
  ])("needs a storage with %s", (_what, lacking, message) => {
    expect(() => createService({ resources: [orders], storage: lacking, logger: false, use: [subscribers()] })).toThrow(message);
  });

  test("refuses event types that are none, and types of the service itself", () => {
    const withEvents = (events: readonly string[]) => () => createService({ resources: [], storage, logger: false, use: [subscribers({ events })] });
    expect(withEvents(["report"])).toThrow(`"report" is not an event type in dot notation.`);
    expect(withEvents(["webhook.mine"])).toThrow("reserved for the service");
  });

  test("refuses another form of events than webhooks() has", () => {
    const use = [webhooks({ transport: new Receiver() }), subscribers({ apiVersion: "2026-05-01" })] as const;
    expect(() => createService({ resources: [orders], storage, logger: false, use })).toThrow(
      `"apiVersion" is 2026-01-01 in webhooks() and 2026-05-01 in subscribers(); an event has one form for all, so both must say the same.`,
    );
  });

  test("or webhooks() is needed by a resource with events", () => {
    expect(() => createService({ resources: [orders], storage, logger: false })).toThrow(`subscribers() of "restwright/subscribers"`);
  });

  test("has the event types of webhooks() too, and emits with it by one function", async () => {
    const { service } = stageOn({ storage: memoryStorage(), more: [webhooks({ transport: new Receiver(), work: false, events: ["report.sent"] })] });
    const seen: string[] = [];
    service.on(["report.sent", "report.ready", "webhook.disabled"], { name: "reports" }, ({ type }) => void seen.push(type));
    await service.emit({ type: "report.sent", data: {} });
    await service.emit({ type: "report.ready", data: {} });
    await until("both are handled", () => seen.length === 2);
    await expect(service.emit({ type: "report.lost", data: {} })).rejects.toThrow(`"report.lost" is not among the event types`);
    await expect(service.emit({ type: "webhook.disabled", data: {} })).rejects.toThrow("reserved for the service");
  });

  test("refuses a misspelled query of the log", async () => {
    const { service } = stageOn({ storage: memoryStorage() });
    await expect(service.subscribers.list({ nmae: "a" } as object)).rejects.toThrow(`subscribers.list has no option "nmae"; did you mean "name"?`);
    await expect(service.subscribers.list({ limit: 1_001 })).rejects.toThrow(`subscribers.list: "limit" must be`);
    await expect(service.subscribers.replay({ name: "a", state: ["dead"] } as never)).rejects.toThrow(`subscribers.replay has no option "state"`);
    await expect(service.subscribers.replay({ name: "a", states: ["running"] } as never)).rejects.toThrow(`subscribers.replay: "states[0]" must be`);
  });
});

describe("a name in the storage", () => {
  test("is there after the start, with its types", async () => {
    const { service } = stageOn({ storage: memoryStorage() });
    service.on(["order.created", "report.*", "order.created"], { name: "receipts" }, nothing);
    await service.start();
    expect(await service.subscribers.names()).toMatchObject([{ name: "receipts", patterns: ["order.created", "report.*"], retiredAt: undefined }]);
  });

  test("is retired with a warning when no process has had it for 14 days, and comes back", async () => {
    const clock = new FakeClock();
    const storage = memoryStorage({ clock });
    const shared = () => ({ storage: { ...storage, subscribers: storage.subscribers, close: async () => {} }, clock, timers: clock });
    const first = stageOn(shared());
    first.service.on("order.created", { name: "old" }, nothing);
    await first.service.start();
    await first.service.close();
    const second = stageOn(shared());
    second.service.on("order.updated", { name: "new" }, nothing);
    await second.order();
    for (let hours = 0; hours < 13 * 24; hours += 2) {
      clock.advance(2 * hour);
      await new Promise(setImmediate);
    }
    await pause();
    expect(second.logged).toEqual([]);
    for (let hours = 0; hours < 30; hours += 1) {
      clock.advance(hour);
      await pause(2);
    }
    await until("it is retired", () => second.logged.length > 0);
    expect(second.logged).toMatchObject([{ level: "warn", facts: { subscriber: "old" } }]);
    expect(await second.service.subscribers.counts("old")).toMatchObject({ pending: 0, canceled: 1 });
    await second.order();
    expect(await second.service.subscribers.list({ name: "old" })).toHaveLength(1);
    const third = stageOn(shared());
    third.service.on("order.created", { name: "old" }, nothing);
    await third.service.start();
    await second.order();
    expect(await second.service.subscribers.list({ name: "old" })).toHaveLength(2);
    expect((await second.service.subscribers.names()).find(({ name }) => name === "old")?.retiredAt).toBeUndefined();
  });

  test("with events of a type that only another release handles leaves them to it, for a day", async () => {
    const clock = new FakeClock();
    const storage = memoryStorage({ clock });
    const old = clockStage({ storage, clock, timers: clock });
    const seen: string[] = [];
    old.service.on("order.updated", { name: "audit" }, ({ type }) => void seen.push(`old ${type}`));
    await old.service.start();
    await storage.subscribers?.register([{ name: "audit", patterns: ["order.*"] }]);
    const id = await old.order();
    await old.service.asSystem().of(orders).update(id, { total: 9 });
    await until("the update is handled", () => seen.length === 1);
    await pause();
    expect(seen).toEqual(["old order.updated"]);
    expect(await old.service.subscribers.list({ type: "order.created" })).toMatchObject([{ state: "pending", attempts: 0 }]);
    const next = clockStage({ storage: { ...storage, subscribers: storage.subscribers, close: async () => {} }, clock, timers: clock });
    clock.advance(3_000);
    next.service.on("order.*", { name: "audit" }, ({ type }) => void seen.push(`new ${type}`));
    await next.service.start();
    for (let tries = 0; seen.length < 2 && tries < 100; tries++) {
      clock.advance(1_000);
      await pause(2);
    }
    expect(seen).toEqual(["old order.updated", "new order.created"]);
    await next.service.close({ graceMs: 0 });
    await old.order();
    for (let hours = 0; hours < 36; hours++) {
      clock.advance(hour);
      await pause(2);
    }
    await until("it is given up", async () => (await old.service.subscribers.counts("audit")).dead === 1);
    expect(old.logged.map(({ message }) => message)).toEqual(["An event is given up, because no process handles its type under this name."]);
  });

  test("is registered later if the storage fails, and the start fails with it", async () => {
    const storage = memoryStorage();
    let isDown = true;
    const store = storage.subscribers;
    if (store === undefined) throw new Error("The storage keeps no subscribers.");
    const flaky = Object.assign(Object.create(store), {
      register: async (names: Parameters<typeof store.register>[0]) => {
        if (isDown) throw new Error("down");
        await store.register(names);
      },
    });
    const { service, order } = stageOn({ storage: { ...storage, subscribers: flaky } });
    const seen: unknown[] = [];
    service.on("order.created", { name: "receipts" }, ({ id }) => void seen.push(id));
    await expect(service.start()).rejects.toThrow("down");
    isDown = false;
    await order();
    await until("it is handled", () => seen.length === 1);
  });
});

test("a resource without events needs no capability, and `*` of a service without events is refused", () => {
  const notes = defineResource("notes", { schema: z.object({ id: z.int() }) });
  const service = createService({ resources: [notes], storage: memoryStorage(), logger: false, use: [subscribers()] });
  expect(() => service.on("*", { name: "all" }, nothing)).toThrow("The service has none.");
});
