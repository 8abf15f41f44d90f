// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { interleavedStorage } from "../../../../adapters/stores/memory/interleaving/interleavedStorage.js";
import type { Collection } from "../../../../src/ground/storage/collection.js";
import { Retryable } from "../../../../src/ground/storage/errors.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Storage, TransactionOptions } from "../../../../src/ground/storage/storage.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

const model: CollectionModel = {
  name: "things",
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind: "text" },
    { name: "code", kind: "text" },
    { name: "quantity", kind: "int" },
  ],
  unique: [{ fields: ["code"] }],
  indexes: [],
  searchable: [],
};
let versions = 0;
const stamp = () => {
  versions += 1;
  return { _version: `v${versions}`, _updatedAt: new Date(0) };
};
type Rows = Required<Collection>;
const rowsOf = (storage: Storage) => storage.collection(model) as Rows;
const row = (id: string, quantity = 0, code: string | null = null) => ({ id, quantity, code, ...stamp() });
const quantityOf = async (rows: Rows, id: string) => Number((await rows.get(id, {}))?.["quantity"]);

/** Runs a transaction, again as long as it was refused. */
async function transact<R>({ transaction }: Storage, run: (rows: Rows, tx: Storage) => Promise<R>, options?: TransactionOptions): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await (transaction as NonNullable<Storage["transaction"]>)((tx) => run(rowsOf(tx), tx), options);
    } catch (error) {
      if (!(error instanceof Retryable) || attempt === 20) throw error;
    }
  }
}

/** Opens a store with the rows `a` and `b`, whose quantities are 0. */
async function opened(seed: number) {
  const { storage, turns } = interleavedStorage({ seed });
  const rows = rowsOf(storage);
  for (const id of ["a", "b"]) await rows.insert(row(id), {});
  return { storage, rows, turns };
}

/** What is done three times at once, and whether what must hold holds afterwards. */
interface Race {
  run(rows: Rows, tx: Storage, who: number): Promise<unknown>;
  holds(rows: Rows): Promise<boolean>;
}

const counter = async (rows: Rows) => (await quantityOf(rows, "a")) === 3;
const increment: Race = {
  run: async (rows) => rows.update("a", { quantity: (await quantityOf(rows, "a")) + 1, ...stamp() }, {}),
  holds: counter,
};
const atMostOne: Race = {
  async run(rows, _tx, who) {
    if ((await rows.count({ op: "gt", path: ["quantity"], value: 0 }, {})) === 0) await rows.insert(row(`new${who}`, 1), {});
  },
  holds: async (rows) => (await rows.count({ op: "gt", path: ["quantity"], value: 0 }, {})) === 1,
};
/** Each gives up one of two duties, unless the other is given up already. */
const writeSkew: Race = {
  async run(rows, _tx, who) {
    const [mine, other] = who % 2 === 0 ? ["a", "b"] : ["b", "a"];
    if ((await quantityOf(rows, other as string)) === 0) await rows.update(mine as string, { quantity: 1, ...stamp() }, {});
  },
  holds: async (rows) => (await quantityOf(rows, "a")) + (await quantityOf(rows, "b")) <= 1,
};
const withLock = ({ run, holds }: Race): Race => ({
  async run(rows, tx, who) {
    await tx.lock?.("things");
    return run(rows, tx, who);
  },
  holds,
});
const compareAndSet: Race = {
  async run(rows) {
    const before = await rows.get("a", {});
    const outcome = await rows.update("a", { quantity: Number(before?.["quantity"]) + 1, ...stamp() }, { ifVersion: before?._version });
    if (!outcome.ok) throw new Retryable(outcome.why);
  },
  holds: counter,
};
const lockedRow: Race = {
  async run(rows) {
    const [before] = await rows.find({ filter: { op: "eq", path: ["id"], value: "a" }, sort: [], limit: 1, lock: "update" }, {});
    await rows.update("a", { quantity: Number(before?.["quantity"]) + 1, ...stamp() }, {});
  },
  holds: counter,
};
const uniqueKey: Race = { run: (rows, _tx, who) => rows.insert(row(`new${who}`, 1, "taken"), {}), holds: atMostOne.holds };

const isBroken = async (seed: number, { run, holds }: Race, options?: TransactionOptions) => {
  const { storage, rows } = await opened(seed);
  await Promise.all([0, 1, 2].map((who) => transact(storage, (inner, tx) => run(inner, tx, who), options)));
  return !(await holds(rows));
};

interface Case {
  readonly name: string;
  readonly race: Race;
  readonly options?: TransactionOptions;
}

const broken: readonly Case[] = [
  { name: "a read that is written back", race: increment },
  { name: "a count before an insert", race: atMostOne },
  { name: "a count before an insert, of a snapshot", race: atMostOne, options: { isolation: "snapshot" } },
  { name: "a write skew", race: writeSkew },
  { name: "a write skew of snapshots", race: writeSkew, options: { isolation: "snapshot" } },
  {
    name: "a count before an insert under a lock, of a snapshot that is older than the lock",
    race: withLock(atMostOne),
    options: { isolation: "snapshot" },
  },
];
const sound: readonly Case[] = [
  { name: "a compare-and-set", race: compareAndSet },
  { name: "a row that is locked to be read", race: lockedRow },
  { name: "a unique key", race: uniqueKey },
  { name: "a read that is written back, of a snapshot", race: increment, options: { isolation: "snapshot" } },
  { name: "a lock before a read that is written back", race: withLock(increment) },
  { name: "a lock before a count", race: withLock(atMostOne) },
  { name: "a lock before a write skew", race: withLock(writeSkew) },
  { name: "a serializable read that is written back", race: increment, options: { isolation: "serializable" } },
  { name: "a serializable count", race: atMostOne, options: { isolation: "serializable" } },
  { name: "a serializable write skew", race: writeSkew, options: { isolation: "serializable" } },
];

const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("three transactions at once", () => {
  test.each(broken)("break within 50 seeds: $name", async ({ race, options }) => {
    const results = await Promise.all(seeds(50).map((seed) => isBroken(seed, race, options)));
    expect(results).toContain(true);
  });

  test.each(sound)("break in none of 200 seeds: $name", async ({ race, options }) => {
    const results = await Promise.all(seeds(200).map((seed) => isBroken(seed, race, options)));
    expect(results).not.toContain(true);
  });

  test("break although one of two is serializable, as in PostgreSQL", async () => {
    const results = [];
    for (const seed of seeds(50)) {
      const { storage, rows } = await opened(seed);
      const isolations = ["serializable", "committed"] as const;
      await Promise.all(isolations.map((isolation, who) => transact(storage, (inner, tx) => atMostOne.run(inner, tx, who), { isolation })));
      results.push(await atMostOne.holds(rows));
    }
    expect(results).toContain(false);
  });
});

describe("serializable transactions", () => {
  type Step =
    | { readonly kind: "add" | "copy"; readonly from: string; readonly to: string }
    | { readonly kind: "insert" | "remove"; readonly to: string };
  const id = fc.constantFrom("a", "b", "c");
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom("add", "copy"), from: id, to: id }),
    fc.record({ kind: fc.constantFrom("insert", "remove"), to: id }),
  ) as fc.Arbitrary<Step>;
  const programs = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 3 });

  async function perform(rows: Rows, steps: readonly Step[]): Promise<void> {
    for (const { kind, to, ...rest } of steps) {
      if (kind === "insert") await rows.insert(row(to, await rows.count(undefined, {})), {});
      else if (kind === "remove") await rows.remove(to, {});
      else {
        const read = (await quantityOf(rows, (rest as { readonly from: string }).from)) || 0;
        const quantity = kind === "copy" ? read + 1 : read + ((await quantityOf(rows, to)) || 0);
        await rows.update(to, { quantity, ...stamp() }, {});
      }
    }
  }

  const stateOf = async (rows: Rows) => {
    const found = await rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 9 }, {});
    return JSON.stringify(found.map((each) => [each["id"], each["quantity"]]));
  };

  /** The states that the transactions leave if they run one after the other, in any order. */
  async function serial(all: readonly (readonly Step[])[], order: readonly number[] = []): Promise<string[]> {
    const rest = [...all.keys()].filter((index) => !order.includes(index));
    if (rest.length > 0) return (await Promise.all(rest.map((index) => serial(all, [...order, index])))).flat();
    const { storage, rows } = await opened(1);
    for (const index of order) await transact(storage, (inner) => perform(inner, all[index] as readonly Step[]));
    return [await stateOf(rows)];
  }

  test("leave what they would leave one after the other", async () => {
    const property = fc.asyncProperty(programs, fc.nat(), async (all, seed) => {
      const { storage, rows } = await opened(seed);
      await Promise.all(all.map((steps) => transact(storage, (inner) => perform(inner, steps), { isolation: "serializable" })));
      expect(await serial(all)).toContain(await stateOf(rows));
    });
    // What was refused or missing was read, too.
    const missing: Step[] = [
      { kind: "copy", from: "a", to: "c" },
      { kind: "remove", to: "a" },
    ];
    const refused = [[{ kind: "insert", to: "c" }], [{ kind: "insert", to: "a" }], missing] as Step[][];
    await fc.assert(property, { numRuns: propertyRuns(1_000), examples: [[refused, 79_479_351]] });
  });

  test("that only read never fail, and see one state", async () => {
    for (const seed of seeds(50)) {
      const { storage, rows } = await opened(seed);
      const move = (amount: number) =>
        transact(
          storage,
          async (inner) => {
            await inner.update("a", { quantity: amount, ...stamp() }, {});
            await inner.update("b", { quantity: -amount, ...stamp() }, {});
          },
          { isolation: "serializable" },
        );
      const read = (storage.transaction as NonNullable<Storage["transaction"]>)(
        async (tx) => (await quantityOf(rowsOf(tx), "a")) + (await quantityOf(rowsOf(tx), "b")),
        { isolation: "serializable", readOnly: true },
      );
      const [sum] = await Promise.all([read, move(1), move(2)]);
      expect(sum).toBe(0);
      expect(await quantityOf(rows, "a")).toBeGreaterThan(0);
    }
  });
});

describe("the interleaving store", () => {
  test("has one order for one seed, and others for others", async () => {
    const orderOf = async (seed: number) => {
      const { storage, turns } = await opened(seed);
      await Promise.all([0, 1, 2].map((who) => transact(storage, (rows, tx) => writeSkew.run(rows, tx, who), { isolation: "serializable" })));
      return turns.order.join("\n");
    };
    const orders = await Promise.all([...seeds(20), ...seeds(20)].map(orderOf));
    expect(orders.slice(0, 20)).toEqual(orders.slice(20));
    expect(new Set(orders).size).toBeGreaterThan(10);
  });

  test("refuses one of two transactions that wait for each other, and the other one commits", async () => {
    const endings = new Set<string>();
    for (const seed of seeds(50)) {
      const { storage, rows, turns } = await opened(seed);
      const write = (first: string, second: string) =>
        (storage.transaction as NonNullable<Storage["transaction"]>)(async (tx) => {
          for (const id of [first, second]) await rowsOf(tx).update(id, { quantity: first === "a" ? 1 : 2, ...stamp() }, {});
        });
      const ended = await Promise.allSettled([write("a", "b"), write("b", "a")]);
      const refused = ended.filter(({ status }) => status === "rejected");
      expect(refused.every((each) => each.status === "rejected" && each.reason instanceof Retryable)).toBe(true);
      expect(refused.length).toBe(turns.order.some((line) => line.endsWith("(deadlock)")) ? 1 : 0);
      expect(await quantityOf(rows, "a")).toBe(await quantityOf(rows, "b"));
      endings.add(ended.map(({ status }) => status).join());
    }
    expect([...endings].toSorted()).toEqual(["fulfilled,fulfilled", "fulfilled,rejected", "rejected,fulfilled"]);
  });

  test("does nothing for a transaction that was refused, whatever its caller makes of that", async () => {
    const refused = [];
    for (const seed of seeds(50)) {
      const { storage, rows } = await opened(seed);
      const write = (first: string, second: string) =>
        (storage.transaction as NonNullable<Storage["transaction"]>)(async (tx) => {
          await rowsOf(tx).update(first, { quantity: 1, ...stamp() }, {});
          const isRefused = await rowsOf(tx)
            .update(second, { quantity: 1, ...stamp() }, {})
            .then(
              () => false,
              () => true,
            );
          if (isRefused) await expect(rowsOf(tx).count(undefined, {})).rejects.toBeInstanceOf(Retryable);
        });
      const ended = await Promise.allSettled([write("a", "b"), write("b", "a")]);
      refused.push(...ended.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : [])));
      expect([await quantityOf(rows, "a"), await quantityOf(rows, "b")]).toEqual([1, 1]);
    }
    expect(new Set(refused)).toEqual(new Set(["Error: The transaction was rolled back: one of its calls failed, and the caller ignored the error."]));
  });

  test("lets an insert wait for the transaction that holds its id or key, and takes what that leaves", async () => {
    const outcomes = new Set<string>();
    for (const seed of seeds(50)) {
      const { storage, rows } = await opened(seed);
      const first = transact(storage, async (inner) => {
        await inner.insert(row("c", 1, "1"), {});
        if (seed % 2 === 0) throw new RangeError("on purpose");
      });
      const second = transact(storage, (inner) => inner.insert(row("d", 2, "1"), {}));
      const [one, other] = await Promise.allSettled([first, second]);
      const outcome = other.status === "fulfilled" && other.value.ok;
      outcomes.add(`${one.status} ${outcome}`);
      expect(await rows.count({ op: "eq", path: ["code"], value: "1" }, {})).toBe(one.status === "fulfilled" || outcome ? 1 : 0);
      expect(one.status === "rejected" && !outcome).toBe(false);
    }
    // The first one collides if the second was first.
    expect([...outcomes].toSorted()).toEqual(["fulfilled false", "fulfilled true", "rejected true"]);
  });

  test("lets an insert wait for a removal that gives up its key", async () => {
    for (const seed of seeds(20)) {
      const { storage, rows } = await opened(seed);
      await rows.insert(row("c", 1, "1"), {});
      let removed = () => {};
      const isRemoved = new Promise<void>((resolve) => {
        removed = resolve;
      });
      const removal = transact(storage, async (inner) => {
        await inner.remove("c", {});
        removed();
        for (let turn = 0; turn < 5; turn++) await inner.get("a", {});
      });
      await isRemoved;
      expect(await rows.insert(row("d", 2, "1"), {})).toMatchObject({ ok: true });
      await removal;
    }
  });

  test("refuses calls of a transaction that has ended, which would hold what nobody frees", async () => {
    const { storage } = await opened(1);
    const [ended, nested] = await transact(storage, async (_, tx) => [tx, await tx.transaction?.(async (inner) => inner)] as const);
    for (const tx of [ended, nested as Storage]) {
      await expect(tx.lock?.("key")).rejects.toThrow("has ended");
      await expect(rowsOf(tx).get("a", {})).rejects.toThrow("has ended");
      await expect(tx.transaction?.(async () => {})).rejects.toThrow("has ended");
    }
    await transact(storage, async (_, tx) => tx.lock?.("key"));
  });

  test("is no store with one writer, and tells the isolation of a transaction", async () => {
    const { storage } = await opened(1);
    expect([storage.queue, storage.lock, storage.isolation]).toEqual([undefined, undefined, undefined]);
    for (const isolation of [undefined, "snapshot", "serializable"] as const) {
      await transact(
        storage,
        async (_, tx) => {
          expect([tx.queue, tx.isolation]).toEqual([undefined, isolation ?? "committed"]);
          await tx.transaction?.(async (inner) => expect(inner.isolation).toBe(isolation ?? "committed"));
        },
        { isolation },
      );
    }
  });

  test("holds a locked key until the outermost transaction ends", async () => {
    for (const seed of seeds(20)) {
      const { storage, turns } = await opened(seed);
      await Promise.all(
        [1, 2, 3].map(() =>
          transact(storage, async (rows, tx) => {
            await tx.transaction?.(async (inner) => {
              await inner.lock?.("key");
              await inner.lock?.("key");
            });
            await rows.get("a", {});
          }),
        ),
      );
      const holders = turns.order.flatMap((line) => /^tx (\d): (?:lock key|commit|get things a)$/.exec(line)?.[1] ?? []);
      expect(holders.filter((who, index) => who !== holders[index - 1])).toHaveLength(3);
    }
  });

  test("holds records as rows: two transactions do not both change the same one", async () => {
    for (const seed of seeds(50)) {
      const { storage } = await opened(seed);
      const begin = () =>
        transact(storage, async (_, tx) => tx.idempotency?.begin("key", { fingerprint: "f", operationId: "o", leaseMs: 60_000, ttlMs: 60_000 }));
      const begun = await Promise.all([begin(), begin(), begin()]);
      expect(begun.map((each) => each?.kind).toSorted()).toEqual(["acquired", "inFlight", "inFlight"]);
    }
  });
});
