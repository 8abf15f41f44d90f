import assert from "node:assert/strict";
import type { Row } from "../../ground/storage/collection.js";
import type { OperationEnd } from "../../ground/storage/idempotency.js";
import type { Outcome } from "../../ground/storage/outcome.js";
import { assertConflict, assertSameRow, writtenRow } from "../storage/assertions.js";
import { uniqueCode, withId } from "../storage/model.js";
import type { Items } from "../storage/stage.js";
import { assertDone, assertInFlight, bytes } from "./assertions.js";
import type { IdempotencyNeeds, IdempotencyScenario } from "./scenario.js";
import { acquired, type IdempotencyStage } from "./stage.js";

const needs: IdempotencyNeeds = { ends: true };

/** What an insert rejects with if the operation is not held. */
class Lost extends Error {}

type Attempt = Pick<OperationEnd, "id" | "operationId" | "attempt">;

const endOf = (attempt: Attempt) => async (): Promise<OperationEnd> => ({
  ...attempt,
  response: bytes("response"),
  lost: () => new Lost("on purpose"),
});

async function held(stage: IdempotencyStage): Promise<Attempt> {
  const id = stage.id();
  return { id, ...acquired(await stage.begin(id)) };
}

async function assertLost(stage: IdempotencyStage, attempt: Attempt): Promise<void> {
  const items = await stage.rows();
  await assert.rejects(items.rows.insert(items.row({ id: "a" }), { ends: endOf(attempt) }), Lost);
  assert.equal(await items.rows.count(undefined, {}), 0);
}

/** An attempt whose lease has ended writes while the next one begins. @returns whether the first one was in time */
async function takenOver(stage: IdempotencyStage, items: Items, row: string): Promise<boolean> {
  const { id, operationId } = await stage.overdue();
  const ends = endOf({ id, operationId, attempt: 1 });
  const insert = items.rows.insert(items.row({ id: row }), { ends }).then(
    () => true,
    (error: unknown) => {
      assert.ok(error instanceof Lost, `expected Lost, got ${error}`);
      return false;
    },
  );
  const [isInTime, begun] = await Promise.all([insert, stage.begin(id)]);
  assert.equal((await items.rows.get(row, {})) !== undefined, isInTime, "the row is there if and only if the insert was in time");
  // A begin that saw neither is in flight for no more than a moment.
  const last = begun.kind === "acquired" ? begun : await stage.begin(id);
  if (isInTime) assertDone(last, bytes("response"));
  else assert.deepStrictEqual([last.kind, acquired(last).attempt], ["acquired", 2]);
  return isInTime;
}

export const idempotencyEndScenarios: readonly IdempotencyScenario[] = [
  {
    name: "an insert completes an operation, and stores the same row as without one",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const attempt = await held(stage);
      const values = { name: "Ada", quantity: 3, price: 1.5, active: true, at: new Date(7), address: { city: "Paris" }, tags: ["x", "ä"] };
      const row = items.row({ id: "a", ...values });
      const written = writtenRow(await items.rows.insert(row, { ends: endOf(attempt), tenant: "t" }));
      assertSameRow(written, row);
      assert.ok((await items.rows.insert({ ...row, id: "b" }, { tenant: "t" })).ok);
      const [ended, plain] = [await items.rows.get("a", { tenant: "t" }), await items.rows.get("b", { tenant: "t" })];
      assert.ok(ended !== undefined && plain !== undefined);
      assertSameRow({ ...ended, id: "b" }, plain);
      assertDone(await stage.begin(attempt.id), bytes("response"));
    },
  },
  {
    name: "a row that gets its id from the store has it when the response is made",
    needs,
    async run(stage) {
      const items = await stage.rows(withId("int", "store"));
      const numbers = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const attempt = await held(stage);
          let id: unknown;
          const ends = async (row: Row) => {
            id = row["id"];
            return { ...(await endOf(attempt)()), response: bytes(`number ${id}`) };
          };
          assertSameRow(writtenRow(await items.rows.insert(items.row({ name: "Ada" }), { ends })), (await items.rows.get(id as number, {})) as Row);
          assertDone(await stage.begin(attempt.id), bytes(`number ${id}`));
          return id;
        }),
      );
      assert.equal(new Set(numbers).size, 20);
      const given = await held(stage);
      assert.ok((await items.rows.insert(items.row({ id: 1_000 }), { ends: endOf(given) })).ok);
      assert.ok(Number((await items.add({ name: "next" }))["id"]) > 1_000);
    },
  },
  {
    name: "an insert under an operation that is not held inserts nothing",
    needs,
    async run(stage) {
      const attempt = await held(stage);
      await assertLost(stage, { ...attempt, id: stage.id() });
      await assertLost(stage, { ...attempt, operationId: "other" });
      await assertLost(stage, { ...attempt, attempt: 2 });
      assertInFlight(await stage.begin(attempt.id));
      assert.equal(await stage.store.complete(attempt.id, attempt.operationId, 1, bytes("first")), true);
      await assertLost(stage, attempt);
      assertDone(await stage.begin(attempt.id), bytes("first"));
    },
  },
  {
    name: "an insert under an operation that has expired inserts nothing",
    needs,
    async run(stage) {
      const { id, operationId } = await stage.overdue({ ttlMs: 5 });
      await assertLost(stage, { id, operationId, attempt: 1 });
    },
  },
  {
    name: "an insert whose key is taken leaves the operation as it is",
    needs,
    async run(stage) {
      const items = await stage.rows();
      await items.add({ id: "a" });
      const attempt = await held(stage);
      assertConflict(await items.rows.insert(items.row({ id: "a" }), { ends: endOf(attempt) }), ["id"]);
      assertInFlight(await stage.begin(attempt.id));
      assert.ok((await items.rows.insert(items.row({ id: "b" }), { ends: endOf(attempt) })).ok);
      assertDone(await stage.begin(attempt.id), bytes("response"));
    },
  },
  {
    name: "of many inserts at once each has its own outcome",
    needs,
    async run(stage) {
      const items = await stage.rows(uniqueCode);
      await items.add({ id: "taken", code: "taken" });
      const kinds = ["written", "lost", "conflict", "written", "both"] as const;
      const insert = async (index: number) => {
        const kind = kinds[index % kinds.length];
        const attempt = await held(stage);
        const isLost = kind === "lost" || kind === "both";
        const code = kind === "conflict" || kind === "both" ? "taken" : `code${index}`;
        const row = items.row({ id: `row${index}`, code, address: { city: "Paris", index }, at: new Date(index) });
        const ends = endOf({ ...attempt, attempt: isLost ? 2 : 1 });
        const outcome = await items.rows.insert(row, { ends }).catch((error: unknown) => error);
        return { kind, row, attempt, isLost, outcome };
      };
      for (const { kind, row, attempt, isLost, outcome } of await Promise.all(Array.from({ length: 60 }, (_, index) => insert(index)))) {
        const stored = await items.rows.get(row["id"] as string, {});
        const begun = await stage.begin(attempt.id);
        if (kind === "written") {
          assertSameRow(writtenRow(outcome as Outcome<Row>), row);
          assertSameRow(stored, row);
          assertDone(begun, bytes("response"));
          continue;
        }
        if (isLost) assert.ok(outcome instanceof Lost, `expected Lost, got ${String(outcome)}`);
        else assertConflict(outcome as Outcome<Row>, ["code"]);
        assert.equal(stored, undefined);
        assertInFlight(begun);
      }
    },
  },
  {
    name: "an insert and the next attempt at the same time: one of them has the operation",
    needs,
    async run(stage) {
      const items = await stage.rows();
      for (let round = 0; round < 20; round++) await takenOver(stage, items, `row${round}`);
    },
  },
];
