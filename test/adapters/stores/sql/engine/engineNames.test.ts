import { describe, expect, test } from "vitest";
import { dialects } from "../../../../../adapters/stores/sql/engine/engines.js";
import { findNames, namesIn, sharedSources } from "./engineNames.js";

const folder = "adapters/stores/sql";
const engines = Object.keys(dialects);
/** The one list of all engines. */
const registry = `${folder}/engine/engines.ts`;

describe("the name of an engine", () => {
  test("is asked in no source that all engines share", () => {
    expect(sharedSources(folder, engines).length).toBeGreaterThan(150);
    const found = namesIn(folder, engines, [registry]);
    expect(found.map(({ file, line, code }) => `${file}:${line}: ${code}`)).toEqual([]);
  });

  test("is in the list of engines, which is not searched", () => {
    expect(namesIn(`${folder}/engine`, engines, []).map(({ file }) => file)).toContain(registry);
  });

  test.each([
    ['const lock = dialect.name === "postgres" ? " for update" : "";'],
    ["if (executor.dialect !== other.dialect) return;"],
    ["const isFile = 'sqlite' in sources;"],
    ["return isSqlite(table) ? 1 : 0;"],
    ['import { sqliteDialect } from "../engine/sqlite/sqliteDialect.js";'],
    ["const types = { postgres: 1 };"],
    ["const text = types.sqlite;"],
    ["const text = now[dialect.name];"],
    ["switch (session.executor.dialect) {"],
    ["const text = `sqlite`;"],
  ])("is found in %s", (planted) => {
    const source = `/** Of "postgres",\n * or not. */\nexport const shared = 1;\n// dialect.name === "sqlite"\n${planted}\n`;
    expect(findNames("planted.ts", source, engines)).toEqual([{ file: "planted.ts", line: 5, code: planted }]);
  });

  test.each([["const title = dialect.title;"], ["const name = options.name ?? dialect.name;"], ["storageIn(dialects[executor.dialect], executor)"]])(
    "is not asked by %s",
    (source) => expect(findNames("shared.ts", source, engines)).toEqual([]),
  );
});
