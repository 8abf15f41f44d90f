import assert from "node:assert/strict";
import type { Begun } from "../../storage/idempotency.js";
import { assertDone, assertInFlight, bytes } from "./assertions.js";
import type { IdempotencyScenario } from "./scenario.js";
import { acquired, type IdempotencyStage } from "./stage.js";

/** Long enough for a few calls on a busy machine, short enough to wait for. */
const ttlMs = 2_000;

/** Records that were begun a little more than `ttlMs` ago. */
interface Aged {
  /** Completed when a fifth of its life was over; what a begin was told then. */
  readonly done: { readonly id: string; readonly operationId: string; readonly then: Begun };
  /** Taken over, with a lease of a minute. */
  readonly takenOver: { readonly id: string; readonly operationId: string };
  /** Taken over by a begin that asked for a longer life, with a short lease, and completed. */
  readonly takenOverAndDone: { readonly id: string };
  /** Renewed for a minute. */
  readonly renewed: { readonly id: string };
}

const waits = new WeakMap<IdempotencyStage, Promise<Aged>>();

/** One wait serves all scenarios that need it. */
function aged(stage: IdempotencyStage): Promise<Aged> {
  const known = waits.get(stage);
  if (known !== undefined) return known;
  const made = age(stage);
  waits.set(stage, made);
  return made;
}

async function age(stage: IdempotencyStage): Promise<Aged> {
  const [takenOver, takenOverAndDone, renewed, done] = [await stage.overdue({ ttlMs }), await stage.overdue({ ttlMs }), stage.id(), stage.id()];
  assert.equal(acquired(await stage.begin(takenOver.id)).attempt, 2);
  assert.equal(acquired(await stage.begin(takenOverAndDone.id, { ttlMs: 60_000, leaseMs: 5 })).attempt, 2);
  assert.equal(await stage.store.complete(takenOverAndDone.id, takenOverAndDone.operationId, 2, bytes("response")), true);
  const { operationId: renewedOperation } = acquired(await stage.begin(renewed, { ttlMs, leaseMs: 5 }));
  if (stage.store.renew !== undefined) assert.equal(await stage.renew(renewed, renewedOperation, 1), true);
  const { operationId } = acquired(await stage.begin(done, { ttlMs, leaseMs: 1_000 }));
  await stage.advance(ttlMs / 5);
  assert.equal(await stage.store.complete(done, operationId, 1, bytes("response")), true);
  const then = await stage.begin(done, { ttlMs: 60_000 });
  await stage.advance((ttlMs * 4) / 5 + 50);
  return { done: { id: done, operationId, then }, takenOver, takenOverAndDone, renewed: { id: renewed } };
}

export const expiryScenarios: readonly IdempotencyScenario[] = [
  {
    name: "what has expired in flight is absent: a begin with any fingerprint is a new operation",
    async run(stage) {
      const { id, operationId } = await stage.overdue({ ttlMs: 5, fingerprint: "first" });
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("late")), false);
      assert.equal(await stage.store.abandon(id, operationId, 1), false);
      if (stage.store.renew !== undefined) assert.equal(await stage.renew(id, operationId, 1), false);
      const next = stage.request({ fingerprint: "second" });
      assert.deepStrictEqual(await stage.store.begin(id, next), { kind: "acquired", operationId: next.operationId, attempt: 1 });
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("late")), false);
      assertInFlight(await stage.begin(id), "second");
      assert.equal(await stage.store.complete(id, next.operationId, 1, bytes("response")), true);
    },
  },
  {
    name: "what is done is answered until its life ends, counted from its creation",
    async run(stage) {
      const { id, operationId, then } = (await aged(stage)).done;
      assertDone(then, bytes("response"));
      const next = acquired(await stage.begin(id));
      assert.notEqual(next.operationId, operationId);
      assert.equal(next.attempt, 1);
      assertInFlight(await stage.begin(id));
    },
  },
  {
    name: "a record never expires before its lease",
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id, { ttlMs: 1 }));
      await stage.advance(30);
      assertInFlight(await stage.begin(id));
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("response")), true);
    },
  },
  {
    name: "a record that was taken over does not expire before its new lease",
    async run(stage) {
      const { id, operationId } = (await aged(stage)).takenOver;
      assertInFlight(await stage.begin(id));
      assert.equal(await stage.store.complete(id, operationId, 2, bytes("response")), true);
    },
  },
  {
    name: "a record whose lease was renewed does not expire before it",
    needs: { renew: true },
    async run(stage) {
      assertInFlight(await stage.begin((await aged(stage)).renewed.id));
    },
  },
  {
    name: "a take-over does not lengthen the life of a record that outlives its lease",
    async run(stage) {
      assert.equal(acquired(await stage.begin((await aged(stage)).takenOverAndDone.id)).attempt, 1);
    },
  },
  {
    name: "a purge removes what has expired, says how much, and nothing else",
    needs: { purge: true },
    async run(shared) {
      const stage = await shared.another();
      const [done, flying] = [stage.id(), stage.id()];
      const { operationId } = acquired(await stage.begin(done));
      assert.equal(await stage.store.complete(done, operationId, 1, bytes("response")), true);
      acquired(await stage.begin(flying));
      for (let count = 0; count < 3; count++) await stage.begin(stage.id(), { leaseMs: 5, ttlMs: 5 });
      await stage.advance(20);
      const purged = (await stage.store.purge?.()) ?? 0;
      assert.ok(purged >= 3, `${purged} were removed`);
      assertDone(await stage.begin(done), bytes("response"));
      assertInFlight(await stage.begin(flying));
    },
  },
];
