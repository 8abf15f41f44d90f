import { sqlStorage } from "restwright/sql";
import { expect, onTestFinished, test } from "vitest";
import type { SqlExecutor, SqlStatement } from "../../../../adapters/stores/sql/engine/executor.js";
import { sqliteExecutor } from "../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { csv, importService, importSide } from "./importStage.js";

test("rows with an e-mail address in another case are found by the index of the key", async () => {
  const executor = sqliteExecutor({ path: ":memory:" });
  const statements: SqlStatement[] = [];
  const storage = sqlStorage(recording(executor, statements));
  const service = importService(storage);
  onTestFinished(() => service.close({ graceMs: 0 }));
  const side = importSide(service, storage);
  // More than are read in one step without an index.
  const lines = Array.from({ length: 2_100 }, (_, index) => `user${index}@x.test,Ada`);
  await side.now("", csv(`email,name\n${lines.join("\n")}`));
  statements.length = 0;

  const found = await side.now("mode=update&key=email", csv(`email,name\n${lines.slice(0, 150).join("\n").toUpperCase()}`));

  expect(found.json.result).toMatchObject({ updated: 150 });
  const searches = statements.filter(({ text }) => text.startsWith("select") && text.includes('"email__fold"'));
  const plans = await Promise.all(searches.map((each) => explain(executor, each)));
  // One exact search, and two without regard to case.
  expect(plans).toEqual(Array.from({ length: 3 }, () => expect.stringContaining("email__fold=?")));
});

function recording(executor: SqlExecutor, statements: SqlStatement[]): SqlExecutor {
  return {
    dialect: executor.dialect,
    query(statement) {
      statements.push(statement);
      return executor.query(statement);
    },
    transaction: (run, options) => executor.transaction((tx) => run(recording(tx, statements)), options),
    plan: async (statement) => (await executor.plan?.(statement)) ?? [],
    async openScan(bounds, isStream) {
      const scan = await executor.openScan?.(bounds, isStream);
      if (scan === undefined) throw new Error("The executor has no scans.");
      const rows = scan.rows.bind(scan);
      return Object.assign(scan, {
        rows(statement: SqlStatement) {
          statements.push(statement);
          return rows(statement);
        },
      });
    },
  };
}

async function explain(executor: SqlExecutor, statement: SqlStatement): Promise<string> {
  const { rows } = await executor.query({ ...statement, text: `explain query plan ${statement.text}`, returns: "many", bigints: false });
  return rows.map((row) => String(row["detail"])).join("\n");
}
