import assert from "node:assert/strict";
import type { AccountLimits, NewUpload, UploadChanges } from "../../ground/storage/files/uploads.js";
import { NaiveUploads } from "./naive.js";
import type { UploadScenario } from "./scenario.js";
import type { UploadStage } from "./stage.js";

const accounts = [
  { tenant: undefined, account: "a" },
  { tenant: "t", account: "a" },
  { tenant: "t", account: "b" },
] as const;

/** Pseudo-random numbers that are the same in each run (mulberry32). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to `end`, exclusive. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  one<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    assert.ok(value !== undefined || values.includes(undefined as T));
    return value as T;
  }

  /** The member with a random value, or no member. */
  maybe<T extends object>(member: T): T | Record<string, never> {
    return this.below(2) === 0 ? member : {};
  }
}

function newUpload(dice: Dice, id: string): NewUpload {
  const dueAt = dice.one([undefined, new Date(dice.below(50))]);
  return { id, ...dice.one(accounts), owner: "ada", isOpen: dice.below(3) > 0, bytes: dice.below(40), dueAt, data: dice.below(100) };
}

function changesBy(dice: Dice): UploadChanges {
  return {
    ...dice.maybe({ isOpen: dice.below(2) === 0 }),
    ...dice.maybe({ bytes: dice.below(40) }),
    ...dice.maybe({ dueAt: dice.one([undefined, new Date(dice.below(50))]) }),
    ...dice.maybe({ data: dice.one([undefined, dice.below(100)]) }),
  };
}

function limitsBy(dice: Dice): AccountLimits {
  return { ...dice.maybe({ maxOpen: dice.below(4) }), ...dice.maybe({ maxBytes: dice.below(120) }) };
}

/** Makes one random call to both the store and the naive store, and asserts equal results. */
async function step({ store }: UploadStage, naive: NaiveUploads, dice: Dice, ids: readonly string[]): Promise<void> {
  const id = dice.one(ids);
  const version = (naive.get(id)?.version ?? 1) - Number(dice.below(8) === 0);
  const limits = limitsBy(dice);
  const call = dice.below(10);
  if (call < 4) {
    const upload = newUpload(dice, id);
    assert.deepStrictEqual(await store.create(upload, limits), naive.create(upload, limits), `create ${JSON.stringify({ upload, limits })}`);
  } else if (call < 8) {
    const changes = changesBy(dice);
    const message = `update ${JSON.stringify({ id, version, changes, limits })}`;
    assert.deepStrictEqual(await store.update(id, version, changes, limits), naive.update(id, version, changes, limits), message);
  } else {
    assert.equal(await store.remove(id, version), naive.remove(id, version), `remove ${JSON.stringify({ id, version })}`);
  }
}

async function assertSame({ store }: UploadStage, naive: NaiveUploads, dice: Dice, ids: readonly string[]): Promise<void> {
  for (const { tenant, account } of accounts) assert.deepStrictEqual(await store.use(tenant, account), naive.use(tenant, account), "sums");
  const id = dice.one(ids);
  assert.deepStrictEqual(await store.get(id), naive.get(id));
  const now = new Date(dice.below(60));
  const due = await store.due(now, 100);
  assert.deepStrictEqual(
    due.map(({ dueAt }) => dueAt),
    naive.due(now).map(({ dueAt }) => dueAt),
  );
  for (const record of due) assert.deepStrictEqual(record, naive.get(record.id));
}

export const sequenceScenarios: readonly UploadScenario[] = [1, 2, 3].map((seed) => ({
  name: `250 calls by chance (seed ${seed}) say what a naive store says, and sums are those of the records after each`,
  async run(shared) {
    const stage = await shared.another();
    const [naive, dice] = [new NaiveUploads(), new Dice(seed)];
    const ids = Array.from({ length: 12 }, (_, index) => `upload ${index}`);
    for (let count = 0; count < 250; count++) {
      await step(stage, naive, dice, ids);
      await assertSame(stage, naive, dice, ids);
    }
  },
}));
