import fc from "fast-check";
import { executeBatch, type ItemResult, ProblemError } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { withoutTransactions } from "../../../tools/storage/batchStores.js";
import { codesOf, countedStorage, created } from "./countedStorage.js";

const refused = () => new ProblemError("VALIDATION_FAILED", "No.", { errors: [{ code: "INVALID_VALUE", detail: "No.", pointer: "/name" }] });

describe("a batch in best effort", () => {
  test("does its items one after the other, in order", async () => {
    const seen: string[] = [];
    const batch = await executeBatch(["a", "b", "c"], {
      mode: "best-effort",
      run: async (item, { index, storage }) => {
        seen.push(`${item}${index}`);
        await Promise.resolve();
        seen.push(`/${item}`);
        expect(storage).toBeUndefined();
        return created(item);
      },
    });
    expect(seen).toEqual(["a0", "/a", "b1", "/b", "c2", "/c"]);
    expect(batch).toEqual({
      status: 200,
      finished: true,
      results: [
        { index: 0, status: 201, id: "a" },
        { index: 1, status: 201, id: "b" },
        { index: 2, status: 201, id: "c" },
      ],
      summary: { total: 3, succeeded: 3, failed: 0 },
    });
  });

  test("makes a result of each problem, and goes on", async () => {
    const batch = await executeBatch([1, 2, 3], {
      mode: "best-effort",
      requestId: "r",
      run: async (item) => {
        if (item === 2) throw refused();
        return created(item);
      },
    });
    expect([batch.status, batch.summary]).toEqual([207, { total: 3, succeeded: 2, failed: 1 }]);
    expect(batch.results[1]).toMatchObject({
      index: 1,
      status: 422,
      error: { code: "VALIDATION_FAILED", requestId: "r", errors: [{ pointer: "/name" }] },
    });
    expect(batch.results[1]?.error).not.toHaveProperty("instance");
  });

  test("takes a failure that is returned for one too", async () => {
    const batch = await executeBatch([1], { mode: "best-effort", run: async () => ({ status: 404 }) });
    expect([batch.status, batch.summary]).toEqual([207, { total: 1, succeeded: 0, failed: 1 }]);
  });

  test("does not know of an item whose storage broke off, and does not try those behind it", async () => {
    const run = async (item: number, error: Error) => {
      if (item === 2) throw error;
      return created(item);
    };
    const codesAfter = async (items: readonly number[], error: Error) =>
      codesOf((await executeBatch(items, { mode: "best-effort", run: (item) => run(item, error) })).results);
    const [lost, denied] = [new Unavailable("The connection was cut."), new Unavailable("The connection was refused.", { wroteNothing: true })];
    expect(await codesAfter([1, 2, 3], lost)).toEqual([undefined, "OUTCOME_UNKNOWN", "STORAGE_UNAVAILABLE"]);
    expect(await codesAfter([2, 3], lost)).toEqual(["OUTCOME_UNKNOWN", "STORAGE_UNAVAILABLE"]);
    expect(await codesAfter([1, 2, 3], denied)).toEqual([undefined, "STORAGE_UNAVAILABLE", "STORAGE_UNAVAILABLE"]);
    await expect(codesAfter([2, 3], denied)).rejects.toBe(denied);
  });

  test("does not do what a check refuses, and does the rest", async () => {
    const done: number[] = [];
    const batch = await executeBatch([1, 2, 3], {
      mode: "best-effort",
      check(item, index) {
        expect(index).toBe(item - 1);
        if (item === 2) throw refused();
      },
      run: async (item) => {
        done.push(item);
        return created(item);
      },
    });
    expect([batch.status, done, codesOf(batch.results)]).toEqual([207, [1, 3], [undefined, "VALIDATION_FAILED", undefined]]);
  });

  test("gives the storage to its items, without a transaction around them", async () => {
    const { storage, seen } = countedStorage();
    await executeBatch([1, 2], {
      mode: "best-effort",
      storage,
      run: async (item, call) => {
        expect(call.storage).toBe(storage);
        return created(item);
      },
    });
    expect(seen.begun).toBe(0);
  });

  test.each([
    ["an error", () => new Error("secret detail")],
    ["a problem of ours", () => new ProblemError("INTERNAL", "secret detail", { status: 500 })],
  ])("throws %s of the first item, since nothing has been done", async (_, fault) => {
    const error = fault();
    const run = async () => {
      throw error;
    };
    await expect(executeBatch([1, 2], { mode: "best-effort", run })).rejects.toBe(error);
  });

  test("makes a result of a later one's, without what only we are to know", async () => {
    const batch = await executeBatch([1, 2, 3], {
      mode: "best-effort",
      run: async (item) => {
        if (item === 2) throw new Error("secret detail");
        return created(item);
      },
    });
    expect([batch.status, batch.results.map(({ status }) => status), codesOf(batch.results)[1]]).toEqual([207, [201, 500, 201], "INTERNAL"]);
    expect(JSON.stringify(batch)).not.toContain("secret detail");
  });

  test("counts an item that was refused as nothing done", async () => {
    const error = new Error("down");
    const run = async (item: number): Promise<ItemResult> => {
      throw item === 1 ? refused() : error;
    };
    const batch = await executeBatch([1, 2], { mode: "best-effort", run });
    expect(batch.results.map(({ status }) => status)).toEqual([422, 500]);
    const check = (item: number) => {
      if (item === 1) throw refused();
    };
    await expect(executeBatch([1, 2], { mode: "best-effort", check, run })).rejects.toBe(error);
  });
});

describe("an atomic batch", () => {
  test("does all in one transaction, that each item gets", async () => {
    const { storage, seen } = countedStorage();
    const given = new Set<Storage | undefined>();
    const batch = await executeBatch(["a", "b"], {
      mode: "atomic",
      storage,
      run: async (item, call) => {
        given.add(call.storage);
        return created(item);
      },
    });
    expect([batch.status, batch.finished, batch.summary.succeeded]).toEqual([200, true, 2]);
    expect([given.size, given.has(storage), given.has(undefined)]).toEqual([1, false, false]);
    expect(seen).toEqual({ begun: 1, committed: 1, rolledBack: 0 });
  });

  test("checks all before it does any", async () => {
    const { storage, seen } = countedStorage();
    const log: string[] = [];
    const batch = await executeBatch([1, 2, 3], {
      mode: "atomic",
      storage,
      check(item) {
        log.push(`check ${item}`);
        if (item !== 2) throw refused();
      },
      run: async (item) => {
        log.push(`run ${item}`);
        return created(item);
      },
    });
    expect(log).toEqual(["check 1", "check 2", "check 3"]);
    expect([batch.status, batch.finished, codesOf(batch.results), seen.begun]).toEqual([
      422,
      true,
      ["VALIDATION_FAILED", "ROLLED_BACK", "VALIDATION_FAILED"],
      0,
    ]);
    expect(batch.summary).toEqual({ total: 3, succeeded: 0, failed: 3 });
  });

  test("is rolled back by the first item that fails, and does none behind it", async () => {
    const { storage, seen } = countedStorage();
    const done: number[] = [];
    const batch = await executeBatch([1, 2, 3], {
      mode: "atomic",
      storage,
      run: async (item) => {
        done.push(item);
        if (item === 2) throw refused();
        return created(item);
      },
    });
    expect([batch.status, done, codesOf(batch.results)]).toEqual([422, [1, 2], ["ROLLED_BACK", "VALIDATION_FAILED", "ROLLED_BACK"]]);
    expect(batch.results.every((result) => !("id" in result))).toBe(true);
    expect(seen).toEqual({ begun: 1, committed: 0, rolledBack: 1 });
  });

  test("throws what is nobody's fault but ours, and rolls back", async () => {
    const { storage, seen } = countedStorage();
    const error = new Error("down");
    const run = async (item: number) => {
      if (item === 3) throw error;
      return created(item);
    };
    await expect(executeBatch([1, 2, 3], { mode: "atomic", storage, run })).rejects.toBe(error);
    expect(seen).toEqual({ begun: 1, committed: 0, rolledBack: 1 });
  });

  test.each<[string, Storage | undefined]>([
    ["no storage", undefined],
    ["a storage without transactions", withoutTransactions(memoryStorage())],
  ])("is 501 with %s, and nothing is done", async (_, storage) => {
    const run = async () => expect.unreachable();
    await expect(executeBatch([1], { mode: "atomic", storage, run })).rejects.toMatchObject({ code: "ATOMIC_UNSUPPORTED", status: 501 });
  });
});

test.each(["best-effort", "atomic"] as const)("nothing to do is EMPTY_BATCH, %s", async (mode) => {
  await expect(executeBatch([], { mode, run: async () => created(1) })).rejects.toMatchObject({ code: "EMPTY_BATCH", status: 400 });
});

/** What an item comes to. */
type Course = { readonly kind: "returns" | "throws" | "is refused"; readonly status: number };

const courses = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant<Course["kind"]>("returns"), status: fc.constantFrom(200, 201, 204, 304, 400, 404, 422, 500) }),
    fc.record({ kind: fc.constantFrom<Course["kind"]>("throws", "is refused"), status: fc.constantFrom(400, 403, 404, 409, 412, 422) }),
  ),
  { minLength: 1, maxLength: 60 },
);

test.each(["best-effort", "atomic"] as const)("every item has one result, in order, and the sums fit, %s", async (mode) => {
  const problem = (status: number) => new ProblemError("VALIDATION_FAILED", "No.", { status });
  await fc.assert(
    fc.asyncProperty(courses, async (items) => {
      const { status, finished, results, summary } = await executeBatch(items, {
        mode,
        storage: memoryStorage(),
        check(item) {
          if (item.kind === "is refused") throw problem(item.status);
        },
        async run(item) {
          if (item.kind === "throws") throw problem(item.status);
          return { status: item.status };
        },
      });
      expect(finished).toBe(true);
      expect(results.map(({ index }) => index)).toEqual(items.map((_, index) => index));
      expect(summary.total).toBe(items.length);
      expect(summary.succeeded + summary.failed).toBe(summary.total);
      expect(summary.failed).toBe(results.filter((result) => result.status >= 400).length);
      const fails = items.some((item) => item.status >= 400);
      if (mode === "best-effort") {
        expect(results.map((result) => result.status)).toEqual(items.map((item) => item.status));
        expect(status).toBe(fails ? 207 : 200);
      } else {
        expect([status, summary.succeeded]).toEqual(fails ? [422, 0] : [200, items.length]);
        expect(results.every((result, index) => [424, items[index]?.status].includes(result.status))).toBe(true);
      }
    }),
    { seed: 5, numRuns: 100 },
  );
});
