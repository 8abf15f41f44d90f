import fc from "fast-check";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import type { Row } from "../../../../src/ground/storage/collection.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

const model: CollectionModel = {
  name: "things",
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind: "text" },
    { name: "code", kind: "text" },
  ],
  unique: [{ fields: ["code"] }],
  indexes: [[["code"]]],
  searchable: [],
};
const stamp = { _version: "v", _updatedAt: new Date(0) };

function openThings() {
  const storage = memoryStorage();
  return { storage, things: storage.collection(model) };
}

async function transaction<R>(
  storage: Storage,
  run: (tx: Storage) => Promise<R>,
  options?: Parameters<NonNullable<Storage["transaction"]>>[1],
): Promise<R> {
  if (storage.transaction === undefined) throw new Error("The store has no transactions.");
  return storage.transaction(run, options);
}

describe("random programs of nested transactions", () => {
  type Step =
    | { readonly kind: "insert" | "update"; readonly id: string; readonly code: string | null }
    | { readonly kind: "remove"; readonly id: string }
    | { readonly kind: "nested"; readonly steps: readonly Step[]; readonly fails: boolean };

  const id = fc.constantFrom("a", "b", "c");
  const code = fc.constantFrom("1", "2", "3", null);
  const { step } = fc.letrec<{ step: Step }>((tie) => ({
    step: fc.oneof(
      { maxDepth: 3 },
      fc.record({ kind: fc.constantFrom("insert", "update"), id, code }),
      fc.record({ kind: fc.constant("remove"), id }),
      fc.record({ kind: fc.constant("nested"), steps: fc.array(tie("step"), { maxLength: 6 }), fails: fc.boolean() }),
    ),
  }));

  type Codes = ReadonlyMap<string, string | null>;

  /** The same program on a plain map: what each step should have answered, and the rows at the end. */
  function runOnMap(steps: readonly Step[], start: Codes, answers: string[]): Codes {
    let codes = start;
    for (const next of steps) {
      if (next.kind === "nested") {
        const after = runOnMap(next.steps, codes, answers);
        if (!next.fails) codes = after;
        continue;
      }
      const exists = codes.has(next.id);
      const taken = next.kind !== "remove" && next.code !== null && [...codes].some(([other, held]) => held === next.code && other !== next.id);
      const refusal = next.kind === "insert" ? (exists || taken ? "conflict" : undefined) : exists ? (taken ? "conflict" : undefined) : "missing";
      answers.push(refusal ?? "ok");
      if (refusal !== undefined) continue;
      const changed = new Map(codes);
      if (next.kind === "remove") changed.delete(next.id);
      else changed.set(next.id, next.code);
      codes = changed;
    }
    return codes;
  }

  async function runOnStore(steps: readonly Step[], storage: Storage, answers: string[]): Promise<void> {
    const things = storage.collection(model);
    const rollback = new Error("rollback");
    for (const next of steps) {
      if (next.kind === "nested") {
        const nested = transaction(storage, async (tx) => {
          await runOnStore(next.steps, tx, answers);
          if (next.fails) throw rollback;
        });
        if (next.fails) await expect(nested).rejects.toBe(rollback);
        else await nested;
        continue;
      }
      const outcome =
        next.kind === "remove"
          ? await things.remove(next.id, {})
          : next.kind === "insert"
            ? await things.insert({ id: next.id, code: next.code, ...stamp }, {})
            : await things.update(next.id, { code: next.code, ...stamp }, {});
      answers.push(outcome.ok ? "ok" : outcome.why);
    }
  }

  test("answer and leave what they would on a plain map", async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { storage, things } = openThings();
      const expected: string[] = [];
      const actual: string[] = [];
      const codes = runOnMap(steps, new Map(), expected);
      await runOnStore(steps, storage, actual);
      expect(actual).toEqual(expected);
      const rows = await things.find({ sort: [], limit: 100 }, {});
      expect(new Map(rows.map((row) => [row["id"], row["code"]]))).toEqual(codes);
      for (const [held, value] of codes) {
        const found = await things.find({ filter: { op: "eq", path: ["code"], value }, sort: [], limit: 9 }, {});
        expect(found.map((row) => row["id"])).toContain(held);
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(500) });
  });
});

describe("a transaction of the memory store", () => {
  test("ends with an error when its signal is aborted before it commits", async () => {
    const { storage, things } = openThings();
    const abort = new AbortController();
    const running = transaction(
      storage,
      async (tx) => {
        await tx.collection(model).insert({ id: "a", ...stamp }, {});
        abort.abort(new RangeError("too late"));
      },
      { signal: abort.signal },
    );
    await expect(running).rejects.toThrow(RangeError);
    expect(await things.get("a", {})).toBeUndefined();
  });

  test("does not start when its signal is aborted while it waits", async () => {
    const { storage } = openThings();
    const abort = new AbortController();
    let started = false;
    const first = transaction(storage, async () => abort.abort());
    const second = transaction(
      storage,
      async () => {
        started = true;
      },
      { signal: abort.signal },
    );
    await first;
    await expect(second).rejects.toThrow();
    expect(started).toBe(false);
  });

  test("refuses writes when it is read-only", async () => {
    const { storage, things } = openThings();
    const write = transaction(storage, (tx) => tx.collection(model).insert({ id: "a", ...stamp }, {}), { readOnly: true });
    await expect(write).rejects.toThrow("read-only");
    expect(await things.get("a", {})).toBeUndefined();
  });

  test("is refused if it has not awaited a nested one, which is refused then too", async () => {
    const { storage, things } = openThings();
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let nested: Promise<void> | undefined;
    const outer = transaction(storage, async (tx) => {
      nested = transaction(tx, async (inner) => {
        await inner.collection(model).insert({ id: "a", ...stamp }, {});
        await finished;
      });
    });
    await expect(outer).rejects.toThrow("A nested transaction has not ended");
    finish();
    await expect(nested).rejects.toThrow("has ended");
    expect(await things.get("a", {})).toBeUndefined();
  });

  test("lets waiting writes and transactions in, in the order in which they came", async () => {
    const { storage, things } = openThings();
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    await Promise.all([
      transaction(storage, async (tx) => {
        for (let turn = 0; turn < 5; turn++) await tx.collection(model).get("a", {});
      }).then(note("transaction 1")),
      things.insert({ id: "a", ...stamp }, {}).then(note("write 1")),
      transaction(storage, async () => {}).then(note("transaction 2")),
      things.insert({ id: "b", ...stamp }, {}).then(note("write 2")),
    ]);
    expect(order).toEqual(["transaction 1", "write 1", "transaction 2", "write 2"]);
  });
});

describe("the memory store", () => {
  test("writes within the call while no transaction is open", () => {
    const { things } = openThings();
    const seen: Promise<Row | undefined>[] = [];
    void things.insert({ id: "a", ...stamp }, {});
    seen.push(things.get("a", {}));
    return expect(Promise.all(seen)).resolves.toMatchObject([{ id: "a" }]);
  });

  test("answers the stored row itself, without a copy", async () => {
    const { things } = openThings();
    await things.insert({ id: "a", ...stamp }, {});
    expect(await things.get("a", {})).toBe(await things.get("a", {}));
  });

  test("refuses a row without an id where the caller numbers the rows", async () => {
    const { things } = openThings();
    await expect(things.insert(stamp, {})).rejects.toThrow('A row for "things" has no "id"');
  });

  test("keeps the rows of a collection whose model changes, and builds its indexes anew", async () => {
    const { storage, things } = openThings();
    await things.insert({ id: "a", code: "x", ...stamp }, { operationId: "op" });
    const changed = storage.collection({ ...model, unique: [{ fields: ["code"], fold: true }] });
    expect(await changed.insert({ id: "b", code: "X", ...stamp }, {})).toEqual({ ok: false, why: "conflict", fields: ["code"] });
    expect(await changed.insert({ id: "c", ...stamp }, { operationId: "op" })).toMatchObject({ ok: true, created: false });
  });
});
