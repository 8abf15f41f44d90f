// @long

import { defineResource, extend, problem } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { subscribers } from "restwright/subscribers";
import { type Exploration, explore, testService } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const base = defineResource("bookings", { schema: z.object({ id: z.int(), show: z.int(), seat: z.int() }), generated: { id: "increment" } });
const taken = () => problem("TAKEN", 409, "The show is booked.");

/** "At most one booking a show", as it is often written: counted before the write. */
const counting = extend(base, {
  hooks: {
    async beforeWrite({ kind, next, tx }) {
      if (kind === "create" && (await tx.of(base).count({ where: { show: next.show } })) > 0) throw taken();
    },
  },
});
const locking = extend(base, {
  hooks: {
    async beforeWrite({ kind, next, tx }) {
      if (kind !== "create") return;
      await tx.lock("show", next.show);
      if ((await tx.of(base).count({ where: { show: next.show } })) > 0) throw taken();
    },
  },
});
const isolated = extend(base, {
  hooks: {
    isolation: "serializable",
    async beforeWrite({ kind, next, tx }) {
      if (kind === "create" && (await tx.of(base).count({ where: { show: next.show } })) > 0) throw taken();
    },
  },
});
const booking = extend(base, {
  actions: ({ action }) => ({
    book: action({
      on: "collection",
      input: z.object({ show: z.int() }),
      async run({ input: { show }, tx }) {
        if ((await tx.of(base).count({ where: { show } })) > 0) throw taken();
        await tx.of(base).create({ show, seat: 1 });
      },
    }),
  }),
});
const unique = defineResource("bookings", {
  schema: z.object({ id: z.int(), show: z.int(), seat: z.int() }),
  generated: { id: "increment" },
  unique: [["show"]],
});
const shows = defineResource("shows", {
  schema: z.object({ id: z.int(), left: z.int() }),
  generated: { id: "increment" },
  actions: ({ action }) => ({
    sell: action({
      on: "row",
      run({ row }) {
        if (row.left === 0) throw taken();
        return { left: row.left - 1 };
      },
    }),
  }),
});

/** Three who want the same at once. @returns how many got it */
async function together(run: (who: number) => Promise<unknown>): Promise<number> {
  const ended = await Promise.allSettled([1, 2, 3].map(run));
  return ended.filter(({ status }) => status === "fulfilled").length;
}

type Run = (t: Exploration) => Promise<void>;

const broken: Readonly<Record<string, Run>> = {
  async "a count in beforeWrite"(t) {
    const { asSystem } = t.testService({ resources: [counting], use: [hooks()] });
    expect(await together((seat) => asSystem().bookings.create({ show: 7, seat }))).toBe(1);
  },
  async "a count in beforeWrite, over HTTP"(t) {
    const { fetch, asSystem } = t.testService({ resources: [counting], use: [hooks()] });
    await together((seat) => fetch("/bookings", { as: { id: "ann" }, method: "POST", json: { show: 7, seat } }));
    expect(await asSystem().bookings.count()).toBe(1);
  },
  async "a count in an action on a collection"(t) {
    const { asSystem } = t.testService({ resources: [booking], use: [actions()] });
    expect(await together(() => asSystem().bookings.book({ show: 7 }))).toBe(1);
  },
  async "a count in a transaction of code"(t) {
    const { asSystem } = t.testService([base]);
    const book = (seat: number) =>
      asSystem().transaction(async (tx) => {
        if ((await tx.of(base).count({ where: { show: 7 } })) > 0) throw taken();
        await tx.of(base).create({ show: 7, seat });
      });
    expect(await together(book)).toBe(1);
  },
};

const sound: Readonly<Record<string, Run>> = {
  async "a unique key"(t) {
    const { asSystem } = t.testService([unique]);
    expect(await together((seat) => asSystem().bookings.create({ show: 7, seat }))).toBe(1);
  },
  async "a unique key in transactions of code"(t) {
    const { asSystem } = t.testService([unique]);
    expect(await together((seat) => asSystem().transaction((tx) => tx.of(unique).create({ show: 7, seat })))).toBe(1);
  },
  async "an update by a function"(t) {
    const { asSystem } = t.testService({ resources: [shows], use: [actions()] });
    await asSystem().shows.create({ left: 2 });
    const sell = ({ left }: { readonly left: number }) => {
      if (left === 0) throw taken();
      return { left: left - 1 };
    };
    expect(await together(() => asSystem().transaction((tx) => tx.of(shows).update(1, sell)))).toBe(2);
    expect(await asSystem().shows.get(1)).toMatchObject({ left: 0 });
  },
  async "a lock in beforeWrite"(t) {
    const { asSystem } = t.testService({ resources: [locking], use: [hooks()] });
    expect(await together((seat) => asSystem().bookings.create({ show: 7, seat }))).toBe(1);
  },
  async "the isolation of hooks"(t) {
    const { asSystem } = t.testService({ resources: [isolated], use: [hooks()] });
    await together((seat) => asSystem().bookings.create({ show: 7, seat }));
    expect(await asSystem().bookings.count()).toBe(1);
  },
  async "the isolation of hooks, in transactions of code that begin without it"(t) {
    const { asSystem } = t.testService({ resources: [isolated], use: [hooks()] });
    await together((seat) => asSystem().transaction((tx) => tx.of(isolated).create({ show: 7, seat })));
    expect(await asSystem().bookings.count()).toBe(1);
  },
  async "a lock in a transaction of code"(t) {
    const { asSystem } = t.testService([base]);
    const book = (seat: number) =>
      asSystem().transaction(async (tx) => {
        await tx.lock("show", 7);
        if ((await tx.of(base).count({ where: { show: 7 } })) > 0) throw taken();
        await tx.of(base).create({ show: 7, seat });
      });
    expect(await together(book)).toBe(1);
  },
  async "a row that is read with a lock"(t) {
    const { asSystem } = t.testService({ resources: [shows, base], use: [actions()] });
    await asSystem().shows.create({ left: 1 });
    const book = (seat: number) =>
      asSystem().transaction(async (tx) => {
        await tx.of(shows).get(1, { lock: "update" });
        if ((await tx.of(base).count()) > 0) throw taken();
        await tx.of(base).create({ show: 1, seat });
      });
    expect(await together(book)).toBe(1);
  },
  async "a row that is read, and then written by its values"(t) {
    const { asSystem } = t.testService({ resources: [shows], use: [actions()] });
    await asSystem().shows.create({ left: 3 });
    const sell = () =>
      asSystem().transaction(async (tx) => {
        const { left } = await tx.of(shows).get(1);
        await tx.of(shows).update(1, { left: left - 1 });
      });
    expect(await together(sell)).toBe(3);
    expect(await asSystem().shows.get(1)).toMatchObject({ left: 0 });
  },
  async "the locked row of an action"(t) {
    const { asSystem } = t.testService({ resources: [shows], use: [actions()] });
    await asSystem().shows.create({ left: 2 });
    expect(await together(() => asSystem().shows.sell(1))).toBe(2);
    expect(await asSystem().shows.get(1)).toMatchObject({ left: 0 });
  },
};

const failureOf = (options: Parameters<typeof explore>[0], run: Run): Promise<Error> =>
  explore(options, run).then(
    () => {
      throw new Error("No seed failed.");
    },
    (error: Error) => error,
  );

describe("a rule over many rows", () => {
  test.each(Object.entries(broken))("is broken within 50 seeds by %s", async (_name, run) => {
    const { cause } = await failureOf({ runs: 50 }, run);
    expect(String(cause)).toContain("AssertionError");
  });

  test.each(Object.entries(sound))("holds for 200 seeds by %s", async (_name, run) => {
    await explore({ runs: 200 }, run);
  });
});

describe("explore", () => {
  test("reports the seed, the calls of the store and the error, and the seed fails again", async () => {
    const first = await failureOf({ runs: 50 }, broken["a count in beforeWrite"] as Run);
    const [, seed] = /^Seed (\d+) \(run \1 of 50\) failed: expected [23] to be 1/.exec(first.message) ?? [];
    expect(first.message).toMatch(/\nThe \d+ calls of the store:\n {2}tx 1: begin\n/);
    expect(first.message).toMatch(/\n {2}tx \d: count bookings\n/);
    expect(first.message).toMatch(/\n {2}tx \d: insert bookings 2\n/);
    expect(first.message).toContain(`To repeat it: explore({ runs: 1, seed: ${seed} }, …)`);
    const again = await failureOf({ runs: 1, seed: Number(seed) }, broken["a count in beforeWrite"] as Run);
    expect(again.message).toBe(first.message.replace(/run \d+ of 50/, "run 1 of 1"));
  });

  test("shows the last 40 calls of many", async () => {
    const { message } = await failureOf({ runs: 1 }, async (t) => {
      const { asSystem } = t.testService([base]);
      for (let call = 0; call < 60; call++) await asSystem().bookings.count();
      throw new RangeError("on purpose");
    });
    expect(message).toContain("The last 40 of 60 calls of the store:\n");
    expect(message.match(/^ {2}count bookings$/gm)).toHaveLength(40);
  });

  test("tries the seeds one after the other, and closes the services of each run", async () => {
    const seeds: number[] = [];
    const services: ReturnType<Exploration["testService"]>[] = [];
    await explore({ runs: 3, seed: 5 }, async (t) => {
      seeds.push(t.seed);
      for (const each of services) expect(each.service.health()).toEqual({ status: "closing" });
      services.push(t.testService([base]), t.testService([base]));
    });
    expect(seeds).toEqual([5, 6, 7]);
    for (const each of services) expect(each.service.health()).toEqual({ status: "closing" });
  });

  test("gives up a run in which a transaction waits for a call that waits for it", async () => {
    const { message } = await failureOf({ runs: 1, idleMs: 20 }, async (t) => {
      const { asSystem } = t.testService([base]);
      await asSystem().bookings.create({ show: 7, seat: 1 });
      let begin = () => {};
      const other = new Promise<void>((resolve) => {
        begin = resolve;
      }).then(() => asSystem().bookings.update(1, { seat: 3 }));
      await asSystem().transaction(async (tx) => {
        await tx.of(base).update(1, { seat: 2 });
        begin();
        await other;
      });
    });
    expect(message).toContain(
      "The run stands still: for 20 ms it has made no call of the store. These wait for a transaction that does not end: update bookings 1.",
    );
    expect(message).toContain("\n  update bookings 1 (waits for tx 1)\n");
  });

  test("gives up a run that waits for the clock, and one that does not end", async () => {
    const { message } = await failureOf({ runs: 1, idleMs: 20 }, async (t) => {
      const { clock } = t.testService([base]);
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, 60_000));
    });
    expect(message).toContain("None waits for a transaction; what does it await? Only the test advances the clock.");
    let isOver = false;
    const endless = failureOf({ runs: 1, idleMs: 20 }, async (t) => {
      const { asSystem } = t.testService([base]);
      while (!isOver) await asSystem().bookings.count();
    });
    expect((await endless).message).toContain("The run does not end: it has made more than 20,000 calls of the store.");
    isOver = true;
  });

  test("takes no other store, no other seed, and no test that is no function", async () => {
    for (const options of [{ interleave: 2 }, { storage: undefined }]) {
      const { cause } = await failureOf({ runs: 1 }, async (t) => void t.testService({ resources: [base], ...options }));
      expect(String(cause)).toContain('takes neither "interleave" nor "storage"');
    }
    await expect(explore({ runs: 1 }, undefined as never)).rejects.toThrow("must be a function");
    await expect(explore({ runs: 0 }, async () => {})).rejects.toThrow('"runs" must be a whole number of at least 1');
    expect(() => testService({ resources: [base], interleave: 1, storage: {} as never })).toThrow("storage");
  });
});

describe("an interleaved service", () => {
  const announced = defineResource("bookings", {
    schema: z.object({ id: z.int(), show: z.int(), seat: z.int() }),
    generated: { id: "increment" },
    events: { "booking.created": { on: "create", data: ({ id }) => ({ id }) } },
  });

  /** The calls of the store for keys, hooks, subscribers, batches, and transactions that wait for each other. @param busyMs how long a hook blocks the process, times the seat */
  async function orderOf(seed: number, busyMs: number): Promise<string> {
    const bookings = extend(announced, {
      hooks: {
        async beforeWrite({ kind, next, tx }) {
          const untilMs = performance.now() + busyMs * (next?.seat ?? 0);
          while (performance.now() < untilMs);
          if (kind === "create") await tx.of(announced).count({ where: { show: next.show } });
        },
      },
    });
    const service = testService({ resources: [bookings], use: [batch(), hooks(), subscribers()], interleave: seed });
    const { fetch, asSystem, order } = service;
    const handled: string[] = [];
    service.service.on("booking.created", { name: "list" }, async ({ data }) => void handled.push(JSON.stringify(data)));
    await service.service.start();
    for (const seat of [1, 2]) await asSystem().bookings.create({ show: 1, seat });
    const post = (seat: number, key: string) =>
      fetch("/bookings", { as: { id: "ann" }, method: "POST", json: { show: 7, seat }, headers: { "idempotency-key": key } });
    const move = (first: number, second: number) =>
      asSystem().transaction(async (tx) => {
        for (const id of [first, second]) await tx.of(announced).update(id, { seat: 3 });
      });
    const operations = [{ method: "POST", url: "/bookings", body: { show: 8, seat: 1 } }];
    const answers = await Promise.all([
      post(1, "the-key-of-seat-1-of-show-7"),
      post(1, "the-key-of-seat-1-of-show-7"),
      post(2, "the-key-of-seat-2-of-show-7"),
      fetch("/batch", { as: { id: "bob" }, method: "POST", json: { operations } }),
    ]);
    await Promise.all([move(1, 2), move(2, 1)]);
    const [one, same, ...others] = answers.map(({ status }) => status);
    // The second request with a key may give up waiting for the first.
    expect([one, same]).toContain(201);
    expect(others).toEqual([201, 200]);
    expect(await asSystem().bookings.count()).toBe(5);
    // What follows depends on when the test looks.
    const calls = order.join("\n");
    await expect.poll(() => handled).toHaveLength(5);
    await service.close();
    return calls;
  }

  test("has one order for one seed, whatever it does and however long that takes", async () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 10; seed++) {
      const order = await orderOf(seed, 0);
      expect(await orderOf(seed, 6)).toBe(order);
      orders.add(order);
    }
    expect(orders.size).toBe(10);
    expect([...orders].join()).toMatch(/\(deadlock\)/);
  });

  test("has no calls without a seed", async () => {
    const service = testService([base]);
    await service.asSystem().bookings.create({ show: 7, seat: 1 });
    expect(service.order).toEqual([]);
    await service.close();
  });
});
