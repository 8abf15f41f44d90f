import { expect, test } from "vitest";
import { describeStores } from "../../../tools/storage/batchStores.js";
import { type ImportCase, importCases, transactionCases } from "./importCases.js";
import { csv, type ImportSide, type Outcome, sharedImports } from "./importStage.js";

/** Prepares a tenant, imports, and compares with what should have come of it. */
async function expectCase(side: ImportSide, { before = {}, query = "", file, who, ...expected }: ImportCase, how: "now" | "later"): Promise<void> {
  for (const [collection, rows] of Object.entries(before)) if (rows.length > 0) await side.seed(collection, ...rows);
  const outcome = await (how === "now" ? side.outcomeNow(query, file, who) : side.outcomeLater(query, file, who));
  const { code, row, counts, errors = [], after } = expected;
  const isRejected = code === "IMPORT_REJECTED";
  const told: Outcome = isRejected
    ? { code, row, counts: how === "now" ? undefined : [0, 0, 0, 1], errors: how === "now" ? undefined : errors }
    : { code, row, counts, errors };
  expect(outcome).toEqual(told);
  const rows = await side.rows(/collection=(\w+)/.exec(query)?.[1]);
  expect(rows.length, JSON.stringify(rows)).toBe(after.length);
  expect(rows).toMatchObject(after);
}

describeStores("imports at once", ({ open, hasTransactions }) => {
  const side = sharedImports(open);
  test.each(hasTransactions ? [...importCases, ...transactionCases] : importCases)("$name", (each) => expectCase(side(), each, "now"));
});

describeStores(
  "imports as jobs",
  ({ open }) => {
    const side = sharedImports(open);
    test.each([...importCases, ...transactionCases])("$name", (each) => expectCase(side(), each, "later"));
  },
  ({ name }) => !name.startsWith("a store"),
);

describeStores(
  "imports that could not be taken back",
  ({ open }) => {
    const side = sharedImports(open);
    test.each(["onError=stop", "dryRun=true", "dryRun=true&mode=upsert&key=email"])("are refused, and write nothing (%s)", async (query) => {
      const one = side();
      const { status, json } = await one.now(query, csv("email,name\nada@x.test,Ada\n"));
      expect([status, json.code, await one.rows()]).toEqual([501, "ATOMIC_UNSUPPORTED", []]);
    });
  },
  ({ hasTransactions }) => !hasTransactions,
);
