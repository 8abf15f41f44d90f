import assert from "node:assert/strict";
import { assertDone, assertInFlight, bytes } from "./assertions.js";
import type { IdempotencyScenario } from "./scenario.js";
import { acquired, type IdempotencyStage } from "./stage.js";

/** What all three methods have to refuse, on a record that they must leave as it is. */
async function assertRefused(stage: IdempotencyStage, id: string, operationId: string, attempt: number): Promise<void> {
  assert.equal(await stage.store.complete(id, operationId, attempt, bytes("refused")), false, "complete");
  assert.equal(await stage.store.abandon(id, operationId, attempt), false, "abandon");
  if (stage.store.renew !== undefined) assert.equal(await stage.renew(id, operationId, attempt), false, "renew");
}

export const attemptScenarios: readonly IdempotencyScenario[] = [
  {
    name: "what was never begun is refused, and stays absent",
    async run(stage) {
      const id = stage.id();
      await assertRefused(stage, id, "operation", 1);
      acquired(await stage.begin(id));
    },
  },
  {
    name: "another operation is refused",
    async run(stage) {
      const id = stage.id();
      acquired(await stage.begin(id));
      await assertRefused(stage, id, "another", 1);
      assertInFlight(await stage.begin(id));
    },
  },
  {
    name: "another attempt is refused, an earlier and a later one",
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      await assertRefused(stage, id, operationId, 0);
      await assertRefused(stage, id, operationId, 2);
      assertInFlight(await stage.begin(id));
    },
  },
  {
    name: "what is done is refused, and its response stays the first",
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("first")), true);
      await assertRefused(stage, id, operationId, 1);
      assertDone(await stage.begin(id), bytes("first"));
    },
  },
  {
    name: "what was abandoned is forgotten: the next begin is a first one, with any fingerprint",
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id, { fingerprint: "first" }));
      assert.equal(await stage.store.abandon(id, operationId, 1), true);
      await assertRefused(stage, id, operationId, 1);
      const next = acquired(await stage.begin(id, { fingerprint: "second" }));
      assert.notEqual(next.operationId, operationId);
      assert.equal(next.attempt, 1);
      await assertRefused(stage, id, operationId, 1);
    },
  },
  {
    name: "a lease that is over but that nobody took still completes",
    async run(stage) {
      const { id, operationId } = await stage.overdue();
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("response")), true);
      assertDone(await stage.begin(id), bytes("response"));
    },
  },
  {
    name: "a lease that is over but that nobody took can still be abandoned",
    async run(stage) {
      const { id, operationId } = await stage.overdue();
      assert.equal(await stage.store.abandon(id, operationId, 1), true);
      assert.equal(acquired(await stage.begin(id)).attempt, 1);
    },
  },
  {
    name: "a lease that was renewed is not over at its first end",
    needs: { renew: true },
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id, { leaseMs: 50 }));
      assert.equal(await stage.renew(id, operationId, 1, 30_000), true);
      await stage.advance(80);
      assertInFlight(await stage.begin(id), "fingerprint", 30_000);
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("response")), true);
    },
  },
  {
    name: "a renewed lease ends, and is taken over then",
    needs: { renew: true },
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      assert.equal(await stage.renew(id, operationId, 1, 5), true);
      await stage.advance(20);
      assert.deepStrictEqual(await stage.begin(id), { kind: "acquired", operationId, attempt: 2 });
    },
  },
];
