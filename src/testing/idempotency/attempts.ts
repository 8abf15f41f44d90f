import assert from "node:assert/strict";
import { assertDone, assertInFlight, bytes } from "./assertions.js";
import type { IdempotencyScenario } from "./scenario.js";
import { acquired, type IdempotencyStage } from "./stage.js";

/** Asserts that all three methods reject an attempt and leave the record unchanged. */
async function assertRefused(stage: IdempotencyStage, id: string, operationId: string, attempt: number): Promise<void> {
  assert.equal(await stage.store.complete(id, operationId, attempt, bytes("refused")), false, "complete");
  assert.equal(await stage.store.abandon(id, operationId, attempt), false, "abandon");
  if (stage.store.renew !== undefined) assert.equal(await stage.renew(id, operationId, attempt), false, "renew");
}

export const attemptScenarios: readonly IdempotencyScenario[] = [
  {
    name: "an unknown key is refused and stays absent",
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
    name: "a completed key is refused, and its first response stays",
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("first")), true);
      await assertRefused(stage, id, operationId, 1);
      assertDone(await stage.begin(id), bytes("first"));
    },
  },
  {
    name: "an abandoned key is forgotten: the next begin with any fingerprint is a first one",
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
    name: "an expired lease that was not taken over can still complete",
    async run(stage) {
      const { id, operationId } = await stage.overdue();
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("response")), true);
      assertDone(await stage.begin(id), bytes("response"));
    },
  },
  {
    name: "an expired lease that was not taken over can still be abandoned",
    async run(stage) {
      const { id, operationId } = await stage.overdue();
      assert.equal(await stage.store.abandon(id, operationId, 1), true);
      assert.equal(acquired(await stage.begin(id)).attempt, 1);
    },
  },
  {
    name: "a renewed lease does not expire at its first end",
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
    name: "a renewed lease expires at its new end and can then be taken over",
    needs: { renew: true },
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      assert.equal(await stage.renew(id, operationId, 1, 5), true);
      await stage.advance(20);
      assert.deepStrictEqual(await stage.begin(id), { kind: "acquired", operationId, attempt: 2 });
    },
  },
  {
    name: "a lease that is renewed for 0 ms can be taken over at once",
    needs: { renew: true },
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      assert.equal(await stage.renew(id, operationId, 1, 0), true);
      assert.deepStrictEqual(await stage.begin(id), { kind: "acquired", operationId, attempt: 2 });
    },
  },
];
