import { memoryIdempotency, memoryStorage } from "restwright/memory";
import { FakeClock, idempotencyContract } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { Storage } from "../../src/ground/storage/storage.js";
import { type IdempotencyDefect, naiveIdempotency } from "./naiveIdempotency.js";

const noticedBy: Readonly<Record<IdempotencyDefect, string>> = {
  "check, then insert": "of 50 concurrent begins of each of 200 keys exactly one acquires the lease",
  "no fence": "an attempt that lost its lease can neither complete nor abandon",
  "fenced by the operation alone": "an attempt that lost its lease can neither complete nor abandon",
  "take-over with another fingerprint": "another fingerprint never takes over",
  "take-over under a new operation": "a begin takes over an expired lease: the same operation, the next attempt, a new lease",
  "take-over without a new attempt": "exactly one of 50 concurrent begins takes over an expired lease, as attempt 2 of the same operation",
  "take-over of what is done": "a completed record outlives its lease and cannot be taken over",
  "life counted from the last begin": "a completed record is returned until its lifetime ends, counted from its creation",
  "expiry before the lease": "a record never expires before its lease",
  "no expiry": "a record that expired in flight is absent: a begin with any fingerprint starts a new operation",
  "an abandon that forgets what is done": "a completed key is refused, and its first response stays",
  "responses kept by reference": "bytes that a writer or reader changes later do not change the response",
  "responses kept as text": "bytes that are not UTF-8 are returned unchanged",
  "a renewal for everybody": "an attempt that lost its lease cannot renew it",
  "a purge of everything": "a purge removes only expired records and returns their number",
};

function naiveCases(defect?: IdempotencyDefect) {
  const clock = new FakeClock();
  return idempotencyContract({ open: async () => ({ store: naiveIdempotency(clock, defect), advance: (ms) => clock.advance(ms) }) });
}

/** A memory storage whose transactions hand over an idempotency store of the caller's choice. */
function storageWith(transactional: (own: Storage, tx: Storage) => Storage["idempotency"]): () => Promise<{ readonly storage: Storage }> {
  const sound = memoryStorage();
  const transaction: NonNullable<Storage["transaction"]> = (run, options) => {
    if (sound.transaction === undefined) throw new Error("The memory store has transactions.");
    return sound.transaction((tx) => run({ ...tx, idempotency: transactional(sound, tx) }), options);
  };
  return async () => ({ storage: { ...sound, transaction } });
}

describe("the contract of idempotency stores", () => {
  test.each(Object.entries(noticedBy) as [IdempotencyDefect, string][])("notices %s", async (defect, name) => {
    const sound = await naiveCases();
    const broken = await naiveCases(defect);
    const position = broken.findIndex((c) => c.name.includes(name));
    await expect(sound[position]?.run()).resolves.toBeUndefined();
    await expect(broken[position]?.run()).rejects.toThrow();
  });

  test("notices a store whose races with another fingerprint and chaos give a lease away twice", async () => {
    for (const [defect, name] of [
      ["check, then insert", "with different fingerprints one wins"],
      ["no fence", "with leases of 3 ms no operation completes twice, no attempt number repeats, and only the last attempt completes"],
      [
        "take-over without a new attempt",
        "with leases of 3 ms no operation completes twice, no attempt number repeats, and only the last attempt completes",
      ],
    ] as const) {
      const broken = await naiveCases(defect);
      await expect(broken.find((c) => c.name.includes(name))?.run(), `${defect}: ${name}`).rejects.toThrow();
    }
  });

  test("notices a complete that does not take part in the transaction", async () => {
    const beside = memoryIdempotency();
    const own = await idempotencyContract({
      open: async () => {
        const { storage } = await storageWith(() => beside)();
        return { storage: { ...storage, idempotency: beside } };
      },
    });
    const together = await idempotencyContract({ open: storageWith((_own, tx) => tx.idempotency) });
    for (const name of ["a complete and a row roll back together", "a begin that is rolled back", "an abandon that is rolled back"]) {
      const position = own.findIndex((c) => c.name.includes(name));
      await expect(together[position]?.run(), name).resolves.toBeUndefined();
      await expect(own[position]?.run(), name).rejects.toThrow();
    }
  });

  test("skips what a store does not have, and says why", async () => {
    const reasonsOf = async (open: Parameters<typeof idempotencyContract>[0]["open"]) => {
      const cases = await idempotencyContract({ open });
      return new Set(cases.map(({ skip }) => skip));
    };
    const { begin, complete, abandon } = memoryIdempotency();
    const endsNone = "memory ends no operation with an insert";
    expect(await reasonsOf(async () => ({ store: { begin, complete, abandon } }))).toEqual(
      new Set([
        undefined,
        "the store has no renew()",
        "the store has no unbegin()",
        "the store has no purge()",
        "the store has no storedBytes()",
        "the store has no now()",
        "the store stands alone, without a storage",
      ]),
    );
    const { transaction: _none, ...rest } = memoryStorage();
    expect(await reasonsOf(async () => ({ storage: rest }))).toEqual(new Set([undefined, "memory has no transaction()", endsNone]));
    expect(await reasonsOf(async () => ({ storage: memoryStorage() }))).toEqual(new Set([undefined, endsNone]));
  });

  test("refuses a storage without an idempotency store by name", async () => {
    const { idempotency: _none, ...rest } = memoryStorage();
    await expect(idempotencyContract({ open: async () => ({ storage: rest }) })).rejects.toThrow("memory has no idempotency store");
  });

  test("gives each check a name of its own", async () => {
    const names = (await naiveCases()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(50);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("the naive store", async () => {
  for (const { name, skip, run } of await naiveCases()) {
    if (skip === undefined) test(`without a defect: ${name}`, run);
  }
});
