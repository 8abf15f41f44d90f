import assert from "node:assert/strict";
import type { Begun } from "../../ground/storage/idempotency.js";
import { assertDone, assertInFlight, bytes } from "./assertions.js";
import type { IdempotencyScenario } from "./scenario.js";
import { acquired, type IdempotencyStage } from "./stage.js";

/** Long enough for a few calls on a busy machine, and short enough to wait for. */
const ttlMs = 2_000;

/** Records whose begin was slightly more than `ttlMs` ago. */
interface Aged {
  /** Completed after a fifth of its lifetime; `then` is the result of a begin at that time. */
  readonly done: { readonly id: string; readonly operationId: string; readonly then: Begun };
  /** Taken over with a lease of one minute. */
  readonly takenOver: { readonly id: string; readonly operationId: string };
  /** Taken over by a begin with a short lease and a longer lifetime, then completed. */
  readonly takenOverAndDone: { readonly id: string };
  /** Renewed for one minute. */
  readonly renewed: { readonly id: string };
}

const waits = new WeakMap<IdempotencyStage, Promise<Aged>>();

/** All scenarios that need expired records share one wait. */
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
    name: "a record that expired in flight is absent: a begin with any fingerprint starts a new operation",
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
    name: "a completed record is returned until its lifetime ends, counted from its creation",
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
    name: "a takeover does not extend the lifetime of a record that outlives its lease",
    async run(stage) {
      assert.equal(acquired(await stage.begin((await aged(stage)).takenOverAndDone.id)).attempt, 1);
    },
  },
  {
    name: "a purge removes only expired records and returns their number",
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
