import assert from "node:assert/strict";
import type { IdempotencyScenario } from "./scenario.js";
import { acquired, type IdempotencyStage } from "./stage.js";

/** Begins a new key of the owner and completes it with this many bytes. */
async function kept(stage: IdempotencyStage, owner: string | undefined, bytes: number, ttlMs = 60_000): Promise<void> {
  const id = stage.id();
  const { operationId, attempt } = acquired(await stage.begin(id, { owner, ttlMs, leaseMs: Math.min(ttlMs, 1_000) }));
  assert.equal(await stage.store.complete(id, operationId, attempt, new Uint8Array(bytes)), true);
}

async function bytesOf(stage: IdempotencyStage, owner: string): Promise<number> {
  assert.ok(stage.store.storedBytes !== undefined);
  return stage.store.storedBytes(owner);
}

export const ownerScenarios: readonly IdempotencyScenario[] = [
  {
    name: "storedBytes counts the completed responses of an owner, and nothing in flight or abandoned",
    needs: { counts: true },
    async run(stage) {
      const [ada, bob, eve] = [stage.id(), stage.id(), stage.id()];
      assert.equal(await bytesOf(stage, ada), 0);
      await Promise.all([kept(stage, ada, 1_000), kept(stage, ada, 20_000), kept(stage, ada, 0), kept(stage, bob, 7), kept(stage, undefined, 99)]);
      const flying = stage.id();
      const { operationId } = acquired(await stage.begin(flying, { owner: ada }));
      assert.deepStrictEqual([await bytesOf(stage, ada), await bytesOf(stage, bob), await bytesOf(stage, eve)], [21_000, 7, 0]);
      assert.equal(await stage.store.abandon(flying, operationId, 1), true);
      assert.equal(await bytesOf(stage, ada), 21_000);
    },
  },
  {
    name: "storedBytes does not count expired records",
    needs: { counts: true },
    async run(stage) {
      const owner = stage.id();
      await kept(stage, owner, 100);
      await kept(stage, owner, 5_000, 400);
      await stage.advance(500);
      assert.equal(await bytesOf(stage, owner), 100);
    },
  },
  {
    name: "a record that was taken over counts once, for the owner of the first begin",
    needs: { counts: true },
    async run(stage) {
      const owner = stage.id();
      const { id, operationId } = await stage.overdue({ owner });
      assert.equal(acquired(await stage.begin(id, { owner })).attempt, 2);
      assert.equal(await stage.store.complete(id, operationId, 2, new Uint8Array(10)), true);
      assert.equal(await bytesOf(stage, owner), 10);
    },
  },
];
