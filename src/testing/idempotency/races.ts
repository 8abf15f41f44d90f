import assert from "node:assert/strict";
import type { Begun } from "../../ground/storage/idempotency.js";
import { assertDone, assertInFlight, bytes, tally } from "./assertions.js";
import type { IdempotencyScenario } from "./scenario.js";
import { acquired } from "./stage.js";

const contenders = 50;
const keys = 200;
/** With more, some would exceed the time that a pool waits for a connection. */
const keysAtOnce = 10;

function together<T>(run: (index: number) => Promise<T>, count = contenders): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

function winners(all: readonly Begun[]): readonly Begun[] {
  return all.filter(({ kind }) => kind === "acquired");
}

export const idempotencyRaceScenarios: readonly IdempotencyScenario[] = [
  {
    name: "of 50 concurrent begins of each of 200 keys exactly one acquires the lease",
    async run(stage) {
      for (let first = 0; first < keys; first += keysAtOnce) {
        const ids = Array.from({ length: keysAtOnce }, () => stage.id());
        const begun = await together((index) => stage.begin(ids[index % keysAtOnce] ?? ""), keysAtOnce * contenders);
        for (let key = 0; key < keysAtOnce; key++) {
          const ofKey = begun.filter((_, index) => index % keysAtOnce === key);
          assert.deepStrictEqual(tally(ofKey), { acquired: 1, inFlight: contenders - 1 });
        }
      }
    },
  },
  {
    name: "of 50 concurrent begins with different fingerprints one wins, and the others get its fingerprint",
    async run(stage) {
      const id = stage.id();
      const begun = await together((index) => stage.begin(id, { fingerprint: `f${index}` }));
      const winner = begun.findIndex(({ kind }) => kind === "acquired");
      assert.equal(winners(begun).length, 1);
      for (const other of begun) if (other.kind !== "acquired") assertInFlight(other, `f${winner}`);
    },
  },
  {
    name: "exactly one of 50 concurrent begins takes over an expired lease, as attempt 2 of the same operation",
    async run(stage) {
      const { id, operationId } = await stage.overdue();
      const begun = await together(() => stage.begin(id));
      assert.deepStrictEqual(tally(begun), { acquired: 1, inFlight: contenders - 1 });
      assert.deepStrictEqual(winners(begun), [{ kind: "acquired", operationId, attempt: 2 }]);
    },
  },
  {
    name: "none of 50 begins with another fingerprint takes over",
    async run(stage) {
      const { id } = await stage.overdue({ fingerprint: "first" });
      for (const begun of await together(() => stage.begin(id, { fingerprint: "second" }))) assertInFlight(begun, "first", 1_000);
    },
  },
  {
    name: "exactly one of 50 concurrent begins replaces an expired record",
    async run(stage) {
      const { id, operationId } = await stage.overdue({ ttlMs: 5 });
      const begun = await together(() => stage.begin(id));
      assert.deepStrictEqual(tally(begun), { acquired: 1, inFlight: contenders - 1 });
      const [winner] = winners(begun);
      assert.ok(winner?.kind === "acquired" && winner.attempt === 1 && winner.operationId !== operationId);
    },
  },
  {
    name: "of 50 concurrent completes exactly one succeeds, and its response is stored",
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      const completed = await together((index) => stage.store.complete(id, operationId, 1, bytes(`response ${index}`)));
      assert.equal(completed.filter(Boolean).length, 1);
      assertDone(await stage.begin(id), bytes(`response ${completed.indexOf(true)}`));
    },
  },
  {
    name: "of a concurrent complete and abandon exactly one succeeds",
    async run(stage) {
      for (let round = 0; round < 20; round++) {
        const id = stage.id();
        const { operationId } = acquired(await stage.begin(id));
        const [completed, abandoned] = await Promise.all([
          stage.store.complete(id, operationId, 1, bytes("response")),
          stage.store.abandon(id, operationId, 1),
        ]);
        assert.notEqual(completed, abandoned);
        assert.equal((await stage.begin(id)).kind, completed ? "done" : "acquired");
      }
    },
  },
  {
    name: "of a concurrent complete and takeover exactly one succeeds",
    async run(stage) {
      const rounds = await Promise.all(Array.from({ length: 20 }, () => stage.overdue()));
      for (const { id, operationId } of rounds) {
        const [completed, begun] = await Promise.all([stage.store.complete(id, operationId, 1, bytes("response")), stage.begin(id)]);
        assert.equal(begun.kind, completed ? "done" : "acquired");
      }
    },
  },
];
