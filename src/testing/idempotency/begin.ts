import assert from "node:assert/strict";
import { LateBegin } from "../../ground/storage/idempotency.js";
import { assertDone, assertInFlight, bytes } from "./assertions.js";
import type { IdempotencyScenario } from "./scenario.js";
import { acquired } from "./stage.js";

export const beginScenarios: readonly IdempotencyScenario[] = [
  {
    name: "a begin after its deadline does nothing, for a new key and for an expired lease",
    needs: { clock: true },
    async run(stage) {
      const nowMs = (await stage.store.now?.()) ?? 0;
      const late = (error: unknown) => error instanceof LateBegin;
      const id = stage.id();
      await assert.rejects(stage.begin(id, { deadlineMs: nowMs - 1 }), late);
      const first = stage.request({ deadlineMs: nowMs + 60_000, leaseMs: 5 });
      assert.deepStrictEqual(await stage.store.begin(id, first), { kind: "acquired", operationId: first.operationId, attempt: 1 });
      await stage.advance(20);
      const again = stage.begin(id, { deadlineMs: nowMs - 1 });
      assert.notEqual(
        await again.then(
          ({ kind }) => kind,
          (error: unknown) => (late(error) ? "late" : error),
        ),
        "acquired",
      );
      assert.deepStrictEqual(await stage.begin(id), { kind: "acquired", operationId: first.operationId, attempt: 2 });
    },
  },
  {
    name: "the first begin acquires the lease with its own operation, at attempt 1",
    async run(stage) {
      const request = stage.request();
      assert.deepStrictEqual(await stage.store.begin(stage.id(), request), { kind: "acquired", operationId: request.operationId, attempt: 1 });
    },
  },
  {
    name: 'a second begin gets "inFlight" with the remaining time of the lease',
    async run(stage) {
      const id = stage.id();
      await stage.begin(id, { leaseMs: 30_000 });
      assertInFlight(await stage.begin(id), "fingerprint", 30_000);
    },
  },
  {
    name: "a begin with another fingerprint gets the first fingerprint",
    async run(stage) {
      const id = stage.id();
      await stage.begin(id, { fingerprint: "first" });
      assertInFlight(await stage.begin(id, { fingerprint: "second" }), "first");
    },
  },
  {
    name: "the remaining time of a lease decreases",
    async run(stage) {
      const id = stage.id();
      await stage.begin(id, { leaseMs: 30_000 });
      await stage.advance(70);
      assertInFlight(await stage.begin(id), "fingerprint", 29_950);
    },
  },
  {
    name: "a begin of a completed key gets the response, whatever its fingerprint",
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id, { fingerprint: "first" }));
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("response")), true);
      assertDone(await stage.begin(id, { fingerprint: "first" }), bytes("response"), "first");
      assertDone(await stage.begin(id, { fingerprint: "second" }), bytes("response"), "first");
    },
  },
  {
    name: "a completed record outlives its lease and cannot be taken over",
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id, { leaseMs: 5 }));
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("response")), true);
      await stage.advance(20);
      assertDone(await stage.begin(id), bytes("response"));
    },
  },
  {
    name: "ids are independent",
    async run(stage) {
      const [done, flying, abandoned] = [stage.id(), stage.id(), stage.id()];
      const first = acquired(await stage.begin(done));
      acquired(await stage.begin(flying));
      const third = acquired(await stage.begin(abandoned));
      assert.equal(await stage.store.complete(flying, first.operationId, 1, bytes("response")), false);
      assert.equal(await stage.store.complete(done, first.operationId, 1, bytes("response")), true);
      assert.equal(await stage.store.abandon(abandoned, third.operationId, 1), true);
      assertInFlight(await stage.begin(flying));
    },
  },
  {
    name: "fingerprints and operations return any text unchanged",
    async run(stage) {
      for (const text of [`'"\\\n{}$1 ?`, "Ünïcode 😀", "x".repeat(500), "0", "null"]) {
        const id = stage.id();
        const { operationId } = acquired(await stage.begin(id, { fingerprint: text, operationId: text }));
        assert.equal(operationId, text);
        assertInFlight(await stage.begin(id), text);
        assert.equal(await stage.store.complete(id, text, 1, bytes("response")), true);
        assertDone(await stage.begin(id), bytes("response"), text);
      }
    },
  },
  {
    name: "ten concurrent migrations are safe and keep the records",
    async run(stage) {
      const id = stage.id();
      await stage.begin(id);
      await Promise.all(Array.from({ length: 10 }, async () => stage.store.migrate?.()));
      assertInFlight(await stage.begin(id));
    },
  },
];
