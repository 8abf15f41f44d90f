import assert from "node:assert/strict";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
import { assertConflict, assertSameRow, assertValues, assertWritten, writtenRow } from "../assertions.js";
import type { Scenario } from "../scenario.js";
import type { Stage } from "../stage.js";

const uniqueCodeAndEmail = { unique: [{ fields: ["code"] }, { fields: ["email"], fold: true }] };
const byCode = { merge: ["name"], key: ["code"] };
const byEmail = { merge: ["name", "code"], key: ["email"] };

/** Rows "0" to "19" with unique codes and emails, except the given changes, and an existing row with the email `held@x.org`. */
async function open(stage: Stage, changed: Readonly<Record<number, RowValues>>) {
  const items = await stage.open(uniqueCodeAndEmail);
  const held = await items.add({ id: "held", code: "held", email: "held@x.org", name: "before" });
  const rows = Array.from({ length: 20 }, (_, index) =>
    items.row({ id: String(index), code: String(index), email: `${index}@x.org`, name: `n${index}`, ...changed[index] }),
  );
  return { items, held, rows };
}

/** A batch has the same result as inserting its rows one after the other. */
export const insertManyOrderScenarios: readonly Scenario[] = [
  {
    name: "a row conflicts on the key that was taken before it, even if a later row takes its other key",
    async run(stage) {
      const { items, rows } = await open(stage, { 2: { code: "9", email: "held@x.org" } });
      const outcomes = await items.rows.insertMany(rows, {});
      assertConflict(outcomes[2], ["email"]);
      assertValues(writtenRow(outcomes[9]), { id: "9", code: "9" });
      assert.equal(outcomes.filter((outcome) => !outcome.ok).length, 1);
    },
  },
  {
    name: "a row conflicts on the key that was taken before it, even if a later row takes its id",
    async run(stage) {
      const { items, rows } = await open(stage, { 2: { id: "9", email: "held@x.org" } });
      const outcomes = await items.rows.insertMany(rows, {});
      assertConflict(outcomes[2], ["email"]);
      assertValues(writtenRow(outcomes[9]), { id: "9", code: "9" });
    },
  },
  {
    name: "of two conflicting rows, the one that existed before is named",
    async run(stage) {
      const { items, rows } = await open(stage, { 3: { code: "5", email: "2@x.org" }, 5: { code: "5" } });
      const outcomes = await items.rows.insertMany(rows, {});
      assertConflict(outcomes[3], ["email"]);
      assertValues(writtenRow(outcomes[2]), { email: "2@x.org" });
      assertValues(writtenRow(outcomes[5]), { code: "5" });
    },
  },
  {
    name: "merge never changes a later row of the batch",
    async run(stage) {
      const { items, held, rows } = await open(stage, { 2: { code: "9", email: "held@x.org", name: "refused" } });
      const outcomes = await items.rows.insertMany(rows, { onConflict: byCode });
      assertConflict(outcomes[2], ["email"]);
      assertValues(writtenRow(outcomes[9]), { id: "9", name: "n9" });
      assertWritten(items, await items.rows.get("9", {}), rows[9] ?? held);
      assertSameRow(await items.rows.get("held", {}), held);
    },
  },
  {
    name: "merge frees a key for a later row, and takes a key before a later row",
    async run(stage) {
      const { items, rows } = await open(stage, { 2: { code: "9", email: "held@x.org" }, 5: { code: "held" } });
      const outcomes = await items.rows.insertMany(rows, { onConflict: byEmail });
      assertValues(writtenRow(outcomes[2]), { id: "held", code: "9", name: "n2" });
      assertValues(writtenRow(outcomes[5]), { id: "5", code: "held" });
      assertConflict(outcomes[9], ["code"]);
      assert.equal(await items.rows.get("9", {}), undefined);
    },
  },
];
