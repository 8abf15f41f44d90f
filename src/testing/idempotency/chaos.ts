import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { bytes } from "./assertions.js";
import type { IdempotencyScenario } from "./scenario.js";
import type { acquired, IdempotencyStage } from "./stage.js";

const briefMs = 3;
/** After this many rounds a worker requests a lease that is long enough for a slow engine. */
const briefRounds = 15;
const workers = 20;
/** The workers of a group compete for the same key, until one of them is slower. */
const groups = 5;
const keys = 15;

type Attempt = ReturnType<typeof acquired>;

/** 20 workers begin each of 15 keys with very short leases, and run `work` on what they acquire, until all keys are done. */
export async function chaos(stage: IdempotencyStage, work: (id: string, attempt: Attempt) => Promise<void>): Promise<readonly string[]> {
  const ids = Array.from({ length: keys }, () => stage.id());
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (let index = 0; index < keys; index++) await finish(stage, ids[(index + (worker % groups)) % keys] ?? "", work);
    }),
  );
  return ids;
}

async function finish(stage: IdempotencyStage, id: string, work: (id: string, attempt: Attempt) => Promise<void>): Promise<void> {
  for (let round = 0; ; round++) {
    const begun = await stage.begin(id, { leaseMs: round < briefRounds ? briefMs : 1_000 });
    if (begun.kind === "done") return;
    if (begun.kind === "acquired") {
      await dawdle(stage, begun.attempt);
      await work(id, begun);
    }
    await sleep(1);
  }
}

/** Shorter and longer than a lease: some workers lose it during the work, as do most of the first attempts. */
async function dawdle(stage: IdempotencyStage, attempt: number): Promise<void> {
  await stage.advance(attempt === 1 ? briefMs + 1 : Math.floor(Math.random() * briefMs * 2));
  await sleep(attempt === 1 ? briefMs : Math.random() * 2);
}

export const chaosScenarios: readonly IdempotencyScenario[] = [
  {
    name: "with leases of 3 ms no operation completes twice, no attempt number repeats, and only the last attempt completes",
    async run(stage) {
      const completed: (Attempt & { readonly id: string })[] = [];
      const given: Attempt[] = [];
      const ids = await chaos(stage, async (id, begun) => {
        const { operationId, attempt } = begun;
        given.push(begun);
        if (Math.random() < 0.2) await stage.store.abandon(id, operationId, attempt);
        if (await stage.store.complete(id, operationId, attempt, bytes(operationId))) completed.push({ ...begun, id });
      });
      assert.deepStrictEqual(completed.map(({ id }) => id).sort(), [...ids].sort(), "each key is completed once");
      const names = new Set(given.map(({ operationId, attempt }) => `${operationId} ${attempt}`));
      assert.equal(names.size, given.length, "an attempt was given twice");
      for (const { operationId, attempt } of completed) {
        const last = Math.max(...given.filter((one) => one.operationId === operationId).map((one) => one.attempt));
        assert.equal(attempt, last, "who had lost the lease completed");
      }
      assert.ok(given.length > ids.length, "no lease was lost: this has shown nothing");
    },
  },
];
