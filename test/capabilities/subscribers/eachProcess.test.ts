import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { Storage } from "../../../src/ground/storage/storage.js";
import { describeInStorages } from "../../tools/storage/describeInStorages.js";
import { clockStage, day, minute, orderOf, pause, stageOn, until } from "./stage.js";

/** One of several processes on a storage, which stays open when one closes. */
const shared = (storage: Storage): Storage => Object.create(storage, { close: { value: async () => {} } });

const ofProcess = { name: "clear-cache", each: "process" } as const;

describeInStorages('a subscriber with each: "process"', async (open) => {
  test("handles each event in each process, beside those that share them, and leaves nothing when its process ends", async () => {
    const { storage } = await open();
    const heard: string[] = [];
    const stages = ["a", "b", "c"].map((process) => {
      const stage = stageOn({ storage: shared(storage), subscribers: { pollMs: 50 } });
      stage.service.on("order.created", ofProcess, (event) => void heard.push(`${process} ${orderOf(event)}`));
      stage.service.on("order.created", { name: "receipts" }, (event) => void heard.push(`one of them ${orderOf(event)}`));
      return stage;
    });
    const [first, second, third] = stages as [(typeof stages)[0], (typeof stages)[0], (typeof stages)[0]];
    for (const { service } of stages) await service.start();
    const before = await first.order();
    await until("all have heard", () => heard.length === 4);
    expect([...heard].sort()).toEqual([`a ${before}`, `b ${before}`, `c ${before}`, `one of them ${before}`]);
    await second.service.close();
    heard.length = 0;
    const after = await third.order();
    await until("both have heard", () => heard.length === 3);
    expect([...heard].sort()).toEqual([`a ${after}`, `c ${after}`, `one of them ${after}`]);
    await storage.subscribers?.sweep(minute, 100);
    const names = (await first.service.subscribers.names()).filter(({ name }) => name.startsWith("clear-cache"));
    expect(names.map(({ name, retiredAt }) => [name.slice(0, 12), retiredAt])).toEqual([
      ["clear-cache~", undefined],
      ["clear-cache~", undefined],
    ]);
    expect(await first.service.subscribers.list()).toMatchObject([{ name: "receipts" }, { name: "receipts" }]);
  });
});

describe("a process", () => {
  test("that dies is forgotten in minutes, with the events that it has not handled", async () => {
    const clock = new FakeClock();
    const storage = memoryStorage({ clock });
    // The dead process has registered its name, and does nothing any more.
    await storage.subscribers?.registerEphemeral?.([{ name: "clear-cache~dead", patterns: ["*"] }], 3 * minute);
    const living = clockStage({ storage, clock, timers: clock });
    const heard: unknown[] = [];
    living.service.on("order.created", ofProcess, (event) => void heard.push(orderOf(event)));
    await living.service.start();
    await living.order();
    expect((await storage.subscribers?.list({ name: "clear-cache~dead", limit: 10 }))?.length).toBe(1);
    for (let minutes = 0; minutes < 16; minutes += 1) {
      clock.advance(minute);
      await pause(2);
    }
    await until("it is forgotten", async () => (await living.service.subscribers.names()).length === 1);
    expect(await storage.subscribers?.list({ limit: 10 })).toEqual([]);
    expect(heard).toHaveLength(1);
    expect(living.logged).toEqual([]);
  });

  test("that could not reach the storage for minutes is told that it may have missed events", async () => {
    const clock = new FakeClock();
    const storage = memoryStorage({ clock });
    let missed = 0;
    const heard: unknown[] = [];
    const cut = clockStage({ storage, clock, timers: clock });
    const options = {
      ...ofProcess,
      onMissed: () => {
        missed += 1;
        return new Promise(() => {});
      },
    };
    cut.service.on("order.created", options, (event) => void heard.push(orderOf(event)));
    await cut.service.start();
    for (let minutes = 0; minutes < 5; minutes += 1) {
      clock.advance(minute);
      await pause(2);
    }
    expect(missed).toBe(0);
    // Another process finds its time over.
    const [known] = await cut.service.subscribers.names();
    await storage.subscribers?.unregisterEphemeral?.([known?.name ?? ""]);
    await cut.order();
    for (let minutes = 0; minutes < 2; minutes += 1) {
      clock.advance(minute);
      await pause(2);
    }
    await until("it is told", () => missed === 1);
    expect(cut.logged).toMatchObject([{ level: "warn", message: expect.stringContaining("may have missed events") }]);
    expect(heard).toEqual([]);
    const id = await cut.order();
    await until("it hears again", () => heard.length === 1);
    expect(heard).toEqual([id]);
    // It still says that it is there, although what it called never ends.
    for (let minutes = 0; minutes < 8; minutes += 1) {
      clock.advance(minute);
      await pause(2);
      await storage.subscribers?.retire(day);
    }
    expect((await cut.service.subscribers.names())[0]?.retiredAt).toBeUndefined();
    expect(missed).toBe(1);
  });

  test("that handles nothing registers no such name", async () => {
    const storage = memoryStorage();
    const { service } = stageOn({ storage, subscribers: { work: false } });
    service.on("order.created", ofProcess, () => {});
    await service.start();
    expect(await service.subscribers.names()).toEqual([]);
  });

  test("may add one while it starts", async () => {
    const storage = memoryStorage();
    const { service, order } = stageOn({ storage });
    const heard: string[] = [];
    service.on("order.created", { ...ofProcess, name: "first" }, () => void heard.push("first"));
    const started = service.start();
    for (let turns = 0; turns < 50; turns += 1) {
      const name = `added-${turns}`;
      service.on("order.created", { ...ofProcess, name }, () => void heard.push(name));
      await Promise.resolve();
    }
    await started;
    await until("all are there", async () => (await service.subscribers.names()).length === 51);
    await order();
    await until("all have heard", () => heard.length === 51);
  });

  test("may add one after the start, and has one of a name", async () => {
    const storage = memoryStorage();
    const { service, order } = stageOn({ storage });
    await service.start();
    const heard: unknown[] = [];
    await service.on("order.created", ofProcess, (event) => void heard.push(orderOf(event))).registered;
    const id = await order();
    await until("it has heard", () => heard.length === 1);
    expect(heard).toEqual([id]);
    expect(() => service.on("order.created", ofProcess, () => {})).toThrow(`the service has a subscriber "clear-cache" already`);
  });
});

test.each([
  [{ name: "a", each: "host" }, `on: "each" must be`],
  [{ name: "a", onMissed: () => {} }, `on: "onMissed" of "a" needs each: "process"`],
  [{ name: "a", each: "process", onMissed: true }, `on: "onMissed" must be`],
])("on with %o is refused", (options, message) => {
  const { service } = stageOn({ storage: memoryStorage() });
  expect(() => service.on("order.created", options as never, () => {})).toThrow(message);
});

test("a storage without such subscribers refuses it", () => {
  const storage = memoryStorage();
  const { registerEphemeral: _, ...plain } = storage.subscribers as NonNullable<Storage["subscribers"]>;
  const { service } = stageOn({ storage: { ...storage, subscribers: plain } });
  expect(() => service.on("order.created", ofProcess, () => {})).toThrow(/keeps no subscribers of single processes/);
});
