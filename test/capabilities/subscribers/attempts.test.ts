import { setTimeout as sleep } from "node:timers/promises";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { clockStage, day, minute, orderOf, pause, stageOn, until } from "./stage.js";

describe("a handler that fails", () => {
  test("is called again by the schedule of webhooks, then onDead is called once, and a replay begins again", async () => {
    const { service, order, clock, logged } = clockStage();
    const begun: number[] = [];
    const dead: unknown[] = [];
    let isBroken = true;
    const ids = new Set<string>();
    const options = {
      name: "receipts",
      onDead: (event: { id: string }, end: { error: unknown; attempts: number }) => void dead.push([event.id, end]),
    };
    service.on("order.created", options, ({ id }, { attempt }) => {
      ids.add(id);
      begun.push(clock.now());
      if (isBroken) throw new Error(`attempt ${attempt} failed`);
    });
    await service.start();
    const startMs = clock.now();
    await order();
    const delays = [0, 1, 5, 30, 120, 360, 720, 1_440];
    let dueMs = startMs;
    for (const [index, delay] of delays.entries()) {
      dueMs += delay * minute;
      await pause();
      clock.advance(dueMs - clock.now() - 1);
      await pause();
      if (index > 0) expect(begun).toHaveLength(index);
      clock.advance(1);
      await until(`attempt ${index + 1}`, () => begun.length === index + 1);
    }
    await until("it is given up", () => dead.length > 0);
    expect(begun.map((time) => time - startMs)).toEqual(
      delays.map((_, index) => delays.slice(0, index + 1).reduce((sum, delay) => sum + delay * minute, 0)),
    );
    expect(dead).toEqual([[[...ids][0], { error: new Error("attempt 8 failed"), attempts: 8 }]]);
    expect(logged.filter(({ level }) => level === "warn")).toHaveLength(7);
    expect(logged.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
      "A subscriber failed for the last time; the event is given up. Replay it when the cause is removed.",
    ]);
    clock.advance(3 * day);
    await pause();
    expect(begun).toHaveLength(8);
    const [task] = await service.subscribers.list({ states: ["dead"] });
    expect(task).toMatchObject({ state: "dead", attempts: 8, lastError: "Error: attempt 8 failed" });
    isBroken = false;
    expect(await service.subscribers.replay([task?.id ?? "", "tsk_none"])).toBe(1);
    await until("the replay succeeds", async () => (await service.subscribers.counts("receipts")).succeeded === 1);
    expect([begun.length, ids.size, dead.length]).toEqual([9, 1, 1]);
  });

  test("has the attempts and the delays that it asks for", async () => {
    const { service, order } = stageOn({ storage: memoryStorage(), subscribers: { scheduleMs: [0, 5] } });
    const attempts = { default: 0, more: 0, own: 0 };
    const dead: string[] = [];
    const failing = (name: keyof typeof attempts, options: object) =>
      service.on("order.created", { name, ...options, onDead: () => void dead.push(name) }, () => {
        attempts[name]++;
        throw new Error("no");
      });
    failing("default", {});
    failing("more", { attempts: 4 });
    failing("own", { scheduleMs: [0, 1, 1] });
    await order();
    await until("all are given up", () => dead.length === 3);
    expect(attempts).toEqual({ default: 2, more: 4, own: 3 });
  });

  test("may throw anything; an onDead that throws is logged and not called again", async () => {
    const { service, order, logged } = stageOn({ storage: memoryStorage() });
    let told = 0;
    const onDead = () => {
      told++;
      throw new Error("onDead failed");
    };
    service.on("order.created", { name: "odd", attempts: 1, onDead }, () => {
      throw { toString: () => expect.unreachable() };
    });
    await order();
    await until("onDead is logged", () => logged.some(({ message }) => message === "onDead of a subscriber threw."));
    await pause();
    expect(told).toBe(1);
    const [task] = await service.subscribers.list();
    expect(task).toMatchObject({ state: "dead", attempts: 1 });
  });

  test("replays by name and state", async () => {
    const { service, order } = stageOn({ storage: memoryStorage() });
    let calls = 0;
    let isBroken = true;
    for (const name of ["one", "two"]) {
      service.on("order.created", { name, attempts: 1, concurrency: 100 }, () => {
        calls++;
        if (isBroken) throw new Error("no");
      });
    }
    for (let count = 0; count < 20; count++) await order();
    await until(
      "all have failed",
      async () => (await service.subscribers.counts("one")).dead + (await service.subscribers.counts("two")).dead === 40,
    );
    isBroken = false;
    expect(await service.subscribers.replay({ name: "one" })).toBe(20);
    await until("they succeed", async () => (await service.subscribers.counts("one")).succeeded === 20);
    expect(await service.subscribers.counts("two")).toMatchObject({ dead: 20 });
    expect(await service.subscribers.replay({ name: "one", states: ["succeeded"] })).toBe(20);
    await until("they succeed again", async () => (await service.subscribers.counts("one")).succeeded === 20 && calls === 80);
  });
});

describe("an attempt that ends with its process", () => {
  test.each([
    [8, ["called 9"]],
    [9, ["dead 10"]],
  ])("is free up to 8 times: %i", async (interruptions, seen) => {
    const clock = new FakeClock();
    const storage = memoryStorage({ clock });
    const store = storage.subscribers;
    await store?.register([{ name: "receipts", patterns: ["*"] }]);
    const { service, order } = clockStage({ storage, clock, timers: clock });
    await order();
    for (let count = 0; count < interruptions; count++) {
      expect(await store?.claim({ name: "receipts", max: 1, leaseMs: 1_000 })).toHaveLength(1);
      clock.advance(1_001);
    }
    const got: string[] = [];
    const onDead = (_event: object, { attempts }: { readonly attempts: number }) => void got.push(`dead ${attempts}`);
    const { registered } = service.on("*", { name: "receipts", attempts: 1, onDead }, (_event, { attempt }) => void got.push(`called ${attempt}`));
    await registered;
    await until("it ends", () => got.length > 0);
    expect(got).toEqual(seen);
  });
});

describe("a handler that takes too long", () => {
  test("has its signal aborted and is called again; its late result does not count", async () => {
    const { service, order } = stageOn({ storage: memoryStorage() });
    const reasons: unknown[] = [];
    const attempts: number[] = [];
    service.on("order.created", { name: "slow", scheduleMs: [0, 1], timeoutMs: 20 }, async (_event, { attempt, signal }) => {
      attempts.push(attempt);
      if (attempt === 2) return;
      signal.addEventListener("abort", () => void reasons.push(signal.reason));
      await sleep(60);
      throw new Error("too late to count");
    });
    await order();
    await until("the second attempt succeeds", async () => (await service.subscribers.counts("slow")).succeeded === 1);
    await pause(60);
    expect([attempts, reasons]).toEqual([[1, 2], [new Error("The handler did not end within 20 ms.")]]);
    expect(await service.subscribers.list()).toMatchObject([{ state: "succeeded", attempts: 2 }]);
  });

  test("does not keep its lease from ending later than its time", () => {
    const { service } = stageOn({ storage: memoryStorage(), subscribers: { leaseMs: 10_000 } });
    service.on("order.created", { name: "fits", timeoutMs: 5_000 }, () => {});
    expect(() => service.on("order.created", { name: "long", timeoutMs: 5_001 }, () => {})).toThrow(
      `on: "timeoutMs" of "long" is 5001; with "leaseMs: 10000" of subscribers() at most 5000 is allowed, so that a lease outlives its attempt.`,
    );
  });
});

test("no more handlers of a name run at a time than its concurrency, and other names do not wait", async () => {
  const { service, order } = stageOn({ storage: memoryStorage() });
  let [running, most, others] = [0, 0, 0];
  const ends: (() => void)[] = [];
  service.on("order.created", { name: "narrow", concurrency: 3 }, async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => void ends.push(resolve));
    running--;
  });
  service.on("order.created", { name: "other" }, () => void others++);
  for (let count = 0; count < 10; count++) await order();
  await until("the others are handled", () => others === 10);
  expect([running, most]).toEqual([3, 3]);
  for (let count = 0; count < 10; count++) {
    await until("one can end", () => ends.length > 0);
    ends.shift()?.();
  }
  await until("all are handled", async () => (await service.subscribers.counts("narrow")).succeeded === 10);
  expect(most).toBe(3);
});

test("a tenant with few events does not wait for one with many", async () => {
  const { service } = stageOn({ storage: memoryStorage(), subscribers: { events: ["work.done"] } });
  const order: (string | undefined)[] = [];
  await service.start();
  const { registered } = service.on("work.done", { name: "quick", concurrency: 2 }, async ({ tenant }) => {
    order.push(tenant);
    await sleep(1);
  });
  await registered;
  for (let count = 0; count < 500; count++) await service.emit({ type: "work.done", data: {}, tenant: "big" });
  const before = order.length;
  for (let count = 0; count < 5; count++) await service.emit({ type: "work.done", data: {}, tenant: "small" });
  await until("all are handled", () => order.length === 505);
  // Two at a time, and a tenant's turn comes after each other's.
  expect(order.lastIndexOf("small")).toBeLessThan(Math.max(before, 0) + 40);
});

describe("a service that closes", () => {
  test("waits for handlers during its grace", async () => {
    const storage = { ...memoryStorage(), close: async () => {} };
    const { service, order } = stageOn({ storage });
    let hasEnded = false;
    let isRunning = false;
    service.on("order.created", { name: "brief" }, async () => {
      isRunning = true;
      await sleep(50);
      hasEnded = true;
    });
    await order();
    await until("the handler runs", () => isRunning);
    await service.close({ graceMs: 2_000 });
    expect(hasEnded).toBe(true);
    expect(await storage.subscribers?.counts("brief")).toMatchObject({ succeeded: 1 });
  });

  test("aborts those that run after it and releases their events, without counting the attempt", async () => {
    const storage = { ...memoryStorage(), close: async () => {} };
    const { service, order } = stageOn({ storage });
    const signals: AbortSignal[] = [];
    const hang = async (signal: AbortSignal) => {
      signals.push(signal);
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    service.on("order.created", { name: "obeys", attempts: 1 }, (_event, { signal }) => hang(signal));
    service.on("order.created", { name: "ignores", attempts: 1 }, async (_event, { signal }) => {
      signals.push(signal);
      await sleep(5_000, undefined, { ref: false });
    });
    await order();
    await until("both run", () => signals.length === 2);
    await service.close({ graceMs: 10 });
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    for (const name of ["obeys", "ignores"]) expect(await storage.subscribers?.counts(name)).toMatchObject({ pending: 1, running: 0, dead: 0 });
    const seen: unknown[] = [];
    const next = stageOn({ storage });
    for (const name of ["obeys", "ignores"]) {
      next.service.on("order.created", { name, attempts: 1 }, (event, { attempt }) => void seen.push([orderOf(event), attempt]));
    }
    await next.service.start();
    await until("both are handled", () => seen.length === 2);
    expect(seen).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  test("does not count an attempt that it refused itself", async () => {
    const storage = { ...memoryStorage(), close: async () => {} };
    const { service, order } = stageOn({ storage });
    let isRunning = false;
    service.on("order.created", { name: "calls", attempts: 1 }, async () => {
      isRunning = true;
      await sleep(50);
      await service.emit({ type: "report.ready", data: {} });
    });
    await order();
    await until("it runs", () => isRunning);
    await service.close({ graceMs: 2_000 });
    expect(await storage.subscribers?.counts("calls")).toMatchObject({ pending: 1, dead: 0 });
  });
});
