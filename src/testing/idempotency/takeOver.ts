import assert from "node:assert/strict";
import { assertDone, assertInFlight, bytes } from "./assertions.js";
import type { IdempotencyScenario } from "./scenario.js";
import { acquired } from "./stage.js";

export const takeOverScenarios: readonly IdempotencyScenario[] = [
  {
    name: "a begin takes over an expired lease: the same operation, the next attempt, a new lease",
    async run(stage) {
      const { id, operationId } = await stage.overdue();
      assert.deepStrictEqual(await stage.begin(id, { operationId: "not taken" }), { kind: "acquired", operationId, attempt: 2 });
      assertInFlight(await stage.begin(id));
    },
  },
  {
    name: "a record is taken over each time its lease expires",
    async run(stage) {
      const { id, operationId } = await stage.overdue();
      for (const attempt of [2, 3, 4]) {
        assert.deepStrictEqual(await stage.begin(id, { leaseMs: 5 }), { kind: "acquired", operationId, attempt });
        await stage.advance(20);
      }
    },
  },
  {
    name: "a begin with another fingerprint never takes over, and gets the first fingerprint",
    async run(stage) {
      const { id, operationId } = await stage.overdue({ fingerprint: "first" });
      for (let time = 0; time < 3; time++) assertInFlight(await stage.begin(id, { fingerprint: "second" }), "first", 1_000);
      assert.deepStrictEqual(await stage.begin(id, { fingerprint: "first" }), { kind: "acquired", operationId, attempt: 2 });
    },
  },
  {
    name: "an attempt that lost its lease can neither complete nor abandon",
    async run(stage) {
      const { id, operationId } = await stage.overdue();
      acquired(await stage.begin(id));
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("stale")), false);
      assert.equal(await stage.store.abandon(id, operationId, 1), false);
      assertInFlight(await stage.begin(id));
      assert.equal(await stage.store.complete(id, operationId, 2, bytes("response")), true);
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("stale")), false);
      assertDone(await stage.begin(id), bytes("response"));
    },
  },
  {
    name: "a first begin whose answer was lost is undone by its operation id",
    needs: { unbegin: true },
    async run(stage) {
      const [id, operationId] = [stage.id(), stage.id()];
      acquired(await stage.begin(id, { operationId }));
      assert.equal(await stage.store.unbegin?.(id, stage.id()), false);
      assert.equal(await stage.store.unbegin?.(stage.id(), operationId), false);
      assertInFlight(await stage.begin(id));
      assert.equal(await stage.store.unbegin?.(id, operationId), true);
      assert.equal(await stage.store.unbegin?.(id, operationId), false);
      assert.deepStrictEqual(await stage.begin(id, { operationId: "first again" }), { kind: "acquired", operationId: "first again", attempt: 1 });
      assert.equal(await stage.store.complete(id, "first again", 1, bytes("response")), true);
      assert.equal(await stage.store.unbegin?.(id, "first again"), false);
      assertDone(await stage.begin(id), bytes("response"));
    },
  },
  {
    name: "a begin that took over and whose answer was lost leaves the operation to the next one at once",
    needs: { unbegin: true },
    async run(stage) {
      const { id, operationId } = await stage.overdue();
      const lost = stage.id();
      assert.equal(acquired(await stage.begin(id, { operationId: lost })).attempt, 2);
      assert.equal(await stage.store.unbegin?.(id, operationId), false);
      assertInFlight(await stage.begin(id));
      assert.equal(await stage.store.unbegin?.(id, lost), true);
      assert.deepStrictEqual(await stage.begin(id), { kind: "acquired", operationId, attempt: 3 });
      assert.equal(await stage.store.unbegin?.(id, lost), false);
      assertInFlight(await stage.begin(id));
    },
  },
  {
    name: "an attempt that lost its lease cannot renew it",
    needs: { renew: true },
    async run(stage) {
      const { id, operationId } = await stage.overdue();
      assert.equal(acquired(await stage.begin(id, { leaseMs: 5 })).attempt, 2);
      assert.equal(await stage.renew(id, operationId, 1), false);
      await stage.advance(20);
      assert.equal(acquired(await stage.begin(id)).attempt, 3);
    },
  },
];
