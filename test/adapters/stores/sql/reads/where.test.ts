import { describe, expect, test } from "vitest";
import { Bindings } from "../../../../../adapters/stores/sql/engine/bindings.js";
import { dialects } from "../../../../../adapters/stores/sql/engine/engines.js";
import { placeIn } from "../../../../../adapters/stores/sql/query/related.js";
import { selectRows } from "../../../../../adapters/stores/sql/query/select.js";
import { writeFilter } from "../../../../../adapters/stores/sql/query/where.js";
import { createTable, indexDefinitions } from "../../../../../adapters/stores/sql/schema/schema.js";
import { compileTable } from "../../../../../adapters/stores/sql/schema/table.js";
import { insertRow } from "../../../../../adapters/stores/sql/write/insert.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";

const model: CollectionModel = {
  name: "users",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "name", kind: "text", fold: true },
    { name: "status", kind: "text" },
    { name: "age", kind: "int" },
    { name: "active", kind: "boolean" },
    { name: "at", kind: "datetime" },
    { name: "address", kind: "json" },
    { name: "tags", kind: "json" },
  ],
  unique: [{ fields: ["name"], fold: true }],
  indexes: [[["status"]]],
  searchable: [["name"], ["address", "city"]],
};

function write(name: "sqlite" | "postgres", filter: Filter, of = model): readonly [text: string, values: readonly unknown[]] {
  const bindings = new Bindings(dialects[name]);
  const table = compileTable(of, dialects[name]);
  return [writeFilter(filter, placeIn(table, "", "list"), table, bindings), bindings.values];
}

const any = { any: "many" } as const;
const one = { any: "one" } as const;
const at = new Date("2026-01-31T12:00:00.123Z");
const city = `json_extract("address", '$."city"')`;
const cityType = `json_type("address", '$."city"')`;
const cityText = `(case when jsonb_typeof(("address" -> 'city')) = 'string' then (("address" -> 'city') #>> '{}') end) collate "C"`;
const cityNumber = `case when jsonb_typeof(("address" -> 'city')) = 'number' then (("address" -> 'city') #>> '{}')::numeric end`;

const table: readonly (readonly [filter: Filter, sqlite: readonly [string, unknown[]], postgres: readonly [string, unknown[]]])[] = [
  [{ op: "eq", path: ["status"], value: "open" }, ['"status" = ?', ["open"]], ['"status" = $1', ["open"]]],
  [{ op: "eq", path: ["status"], value: null }, ['"status" is null', []], ['"status" is null', []]],
  [{ op: "ne", path: ["status"], value: "open" }, ['"status" is not ?', ["open"]], ['"status" is distinct from $1', ["open"]]],
  [{ op: "ne", path: ["status"], value: null }, ['"status" is not null', []], ['"status" is not null', []]],
  [{ op: "gte", path: ["age"], value: 18 }, ['"age" >= ?', [18]], ['"age" >= $1', ["18"]]],
  [{ op: "gt", path: ["age"], value: 17.5 }, ['"age" > ?', [17.5]], ['"age" > $1::numeric', ["17.5"]]],
  [{ op: "lt", path: ["age"], value: 2n ** 70n }, ['"age" < ?', [2 ** 70]], ['"age" < $1::numeric', [(2n ** 70n).toString()]]],
  [{ op: "eq", path: ["age"], value: "18" }, ["false", []], ["false", []]],
  [{ op: "ne", path: ["age"], value: "18" }, ["true", []], ["true", []]],
  [{ op: "eq", path: ["active"], value: true }, ['"active" = ?', [1]], ['"active" = $1', [true]]],
  [{ op: "lt", path: ["at"], value: at }, ['"at" < ?', [at.getTime()]], ['"at" < $1', ["2026-01-31T12:00:00.123Z"]]],
  [{ op: "has", path: ["age"] }, ['"age" is not null', []], ['"age" is not null', []]],
  [{ op: "and", args: [] }, ["true", []], ["true", []]],
  [{ op: "or", args: [] }, ["false", []], ["false", []]],
  [{ op: "not", arg: { op: "or", args: [] } }, ["(false) is not true", []], ["(false) is not true", []]],
  [{ op: "in", path: ["status"], values: [] }, ["false", []], ["false", []]],
  [{ op: "in", path: ["status"], values: [null] }, ['"status" is null', []], ['"status" is null', []]],
  [
    { op: "in", path: ["status"], values: ["a", null, 1] },
    ['("status" in (?) or "status" is null)', ["a"]],
    ['("status" in ($1) or "status" is null)', ["a"]],
  ],
  [
    { op: "in", path: ["id"], values: Array.from({ length: 60 }, (_, index) => index) },
    ['"id" in (select value as item from json_each(?))', [JSON.stringify([...Array(60).keys()])]],
    ['"id" in (select item::bigint from jsonb_array_elements_text($1::text::jsonb) as list(item))', [JSON.stringify([...Array(60).keys()])]],
  ],
  [
    { op: "like", path: ["status"], parts: ["50%_\\*[x]?", any] },
    ['"status" glob ?', ["50%_\\[*][[]x][?]*"]],
    ['"status" like $1', ["50\\%\\_\\\\*[x]?%"]],
  ],
  [{ op: "like", path: ["name"], parts: [any, "ÉA", one], fold: true }, ['"name__fold" glob ?', ["*éa?"]], ['"name__fold" like $1', ["%éa_"]]],
  [{ op: "like", path: ["status"], parts: [any, "ab", any] }, ['instr("status", ?) > 0', ["ab"]], ['strpos("status", $1) > 0', ["ab"]]],
  [
    { op: "like", path: ["status"], parts: ["a", any, "b😀"] },
    ['("status" glob ? and substr("status", length("status") - ?) = ? and length("status") >= ?)', ["a*", 1, "b😀", 3]],
    ['("status" like $1 and substr("status", length("status") - $2) = $3 and length("status") >= $4)', ["a%", 1, "b😀", 3]],
  ],
  [
    { op: "like", path: ["status"], parts: [any, "ab", any, "c", any] },
    [
      '(select instr(_rest, ?) > 0 from (select (select substr(_rest, nullif(instr(_rest, ?), 0) + ?) from (select "status" as _rest limit 1) as _chain limit 1) as _rest limit 1) as _chain limit 1)',
      ["c", "ab", 2],
    ],
    [
      '(select strpos(_rest, $1) > 0 from (select (select substr(_rest, nullif(strpos(_rest, $2), 0) + $3) from (select "status" as _rest limit 1) as _chain limit 1) as _rest limit 1) as _chain limit 1)',
      ["c", "ab", 2],
    ],
  ],
  [{ op: "like", path: ["age"], parts: ["1"] }, ["false", []], ["false", []]],
  [{ op: "eq", path: ["address", "city"], value: "Oslo" }, [`(${cityType} = 'text' and ${city} = ?)`, ["Oslo"]], [`${cityText} = $1`, ["Oslo"]]],
  [
    { op: "gt", path: ["address", "city"], value: 5 },
    [`(${cityType} in ('integer', 'real') and ${city} > json_extract(?, '$'))`, ["5"]],
    [`(${cityText} is null and ${cityNumber} > $1::numeric)`, ["5"]],
  ],
  [
    { op: "ne", path: ["address", "city"], value: "Oslo" },
    [`case ${cityType} when 'text' then ${city} end is not ?`, ["Oslo"]],
    [`${cityText} is distinct from $1`, ["Oslo"]],
  ],
  [
    { op: "in", path: ["address", "city"], values: ["a", 1, "b"] },
    [`((${cityType} in ('integer', 'real') and ${city} in (json_extract(?, '$'))) or (${cityType} = 'text' and ${city} in (?, ?)))`, ["1", "a", "b"]],
    [`((${cityText} is null and ${cityNumber} in ($1::numeric)) or ${cityText} in ($2, $3))`, ["1", "a", "b"]],
  ],
  [
    {
      op: "and",
      args: [
        { op: "gte", path: ["age"], value: 3 },
        {
          op: "or",
          args: [
            { op: "gt", path: ["age"], value: 3 },
            {
              op: "and",
              args: [
                { op: "eq", path: ["age"], value: 3 },
                { op: "gt", path: ["id"], value: 7 },
              ],
            },
          ],
        },
      ],
    },
    ['(("age", "id") > (?, ?))', [3, 7]],
    ['(("age", "id") > ($1, $2))', ["3", "7"]],
  ],
  [
    {
      op: "or",
      args: [
        { op: "lt", path: ["status"], value: "b" },
        {
          op: "and",
          args: [
            { op: "eq", path: ["status"], value: "b" },
            { op: "lt", path: ["age"], value: 1 },
          ],
        },
        {
          op: "and",
          args: [
            { op: "eq", path: ["status"], value: "b" },
            { op: "eq", path: ["age"], value: 1 },
            { op: "lt", path: ["id"], value: 2 },
          ],
        },
      ],
    },
    ['("status", "age", "id") < (?, ?, ?)', ["b", 1, 2]],
    ['("status", "age", "id") < ($1, $2, $3)', ["b", "1", "2"]],
  ],
  [
    {
      op: "or",
      args: [
        { op: "gt", path: ["age"], value: 3 },
        {
          op: "and",
          args: [
            { op: "eq", path: ["age"], value: 4 },
            { op: "gt", path: ["id"], value: 7 },
          ],
        },
      ],
    },
    ['("age" > ? or ("age" = ? and "id" > ?))', [3, 4, 7]],
    ['("age" > $1 or ("age" = $2 and "id" > $3))', ["3", "4", "7"]],
  ],
  [
    {
      op: "or",
      args: [
        { op: "gt", path: ["age"], value: "x" },
        {
          op: "and",
          args: [
            { op: "eq", path: ["age"], value: "x" },
            { op: "gt", path: ["id"], value: 7 },
          ],
        },
      ],
    },
    ['(false or (false and "id" > ?))', [7]],
    ['(false or (false and "id" > $1))', ["7"]],
  ],
  [
    { op: "has", path: ["address", "city"] },
    [`json_extract("address", '$."city"') is not null`, []],
    [`(("address" -> 'city') #>> '{}') is not null`, []],
  ],
  [
    { op: "contains", path: ["tags"], value: "x" },
    [
      `(json_type("tags", '$') = 'array' and exists (select 1 from json_each("tags", '$') as element where element.type = 'text' and element.value = ?))`,
      ["x"],
    ],
    [`("tags") @> $1::text::jsonb`, ['["x"]']],
  ],
  [
    { op: "search", text: " Ada  50% " },
    [
      '((instr("name__fold", ?) > 0 or instr("address.city__fold", ?) > 0) and (instr("name__fold", ?) > 0 or instr("address.city__fold", ?) > 0))',
      ["ada", "ada", "50%", "50%"],
    ],
    [
      '((strpos("name__fold", $1) > 0 or strpos("address.city__fold", $2) > 0) and (strpos("name__fold", $3) > 0 or strpos("address.city__fold", $4) > 0))',
      ["ada", "ada", "50%", "50%"],
    ],
  ],
];

describe.each(table.map((row) => [`${row[0].op}: ${row[1][0]}`, ...row] as const))("%s", (_name, filter, sqlite, postgres) => {
  test("on SQLite", () => expect(write("sqlite", filter)).toEqual(sqlite));
  test("on PostgreSQL", () => expect(write("postgres", filter)).toEqual(postgres));
});

const hostile = `x" = 1; drop table "users"; --`;
const hostileValue = "'; drop table users; --";
const hostileModel: CollectionModel = {
  ...model,
  name: hostile,
  columns: [...model.columns, { name: hostile, kind: "text" }],
  indexes: [[[hostile]]],
};

describe.each(["sqlite", "postgres"] as const)("on %s", (name) => {
  const dialect = dialects[name];

  test("a value stands among the parameters and never in the text", () => {
    const filters: Filter[] = [
      { op: "eq", path: ["status"], value: hostileValue },
      { op: "in", path: ["status"], values: [hostileValue] },
      { op: "like", path: ["status"], parts: [hostileValue] },
      { op: "contains", path: ["tags"], value: hostileValue },
      { op: "search", text: hostileValue },
      { op: "eq", path: ["address", "city"], value: hostileValue },
    ];
    for (const filter of filters) {
      const [text, values] = write(name, filter);
      expect(text).not.toContain("drop");
      expect(JSON.stringify(values)).toContain("drop");
    }
  });

  test("a quote in the name of a table or column is doubled wherever it stands", () => {
    const compiled = compileTable(hostileModel, dialect);
    const quoted = `"x"" = 1; drop table ""users""; --"`;
    const query = { filter: { op: "eq", path: [hostile], value: 1 }, sort: [{ path: [hostile], dir: "asc" }], limit: 1 } as const;
    const row = { _version: "v", _updatedAt: at };
    const texts = [
      createTable(compiled),
      ...indexDefinitions(compiled).map(({ text }) => text),
      selectRows(compiled, query, "").statement.text,
      insertRow(compiled, row, "", undefined).text,
    ];
    for (const text of texts) {
      const rest = text.replaceAll(/"(?:[^"]|"")*"/g, "");
      expect(text).toContain(quoted);
      expect(rest).not.toContain("drop");
    }
  });

  test("a quote in a key of a path is doubled and cannot end the text", () => {
    const [text, values] = write(name, { op: "eq", path: ["address", `a'b"c`], value: "x" });
    expect(text).toContain(name === "sqlite" ? `'$."a''b\\u0022c"'` : `'a''b"c'`);
    expect(values).toEqual(["x"]);
  });

  test("null is the lowest value in every sort", () => {
    const sort = [
      { path: ["age"], dir: "asc" },
      { path: ["status"], dir: "desc" },
    ] as const;
    const { text } = selectRows(compileTable(model, dialect), { sort, limit: 5 }, "").statement;
    expect(text).toContain('order by "age" asc nulls first, "status" desc nulls last limit');
  });

  test("a column that the collection lacks is refused by name", () => {
    expect(() => write(name, { op: "has", path: ["nope"] })).toThrow('users: the column "nope" does not exist.');
  });

  test("a folded comparison without a folded column is refused with the remedy", () => {
    expect(() => write(name, { op: "like", path: ["status"], parts: ["x"], fold: true })).toThrow(
      /"status" cannot be compared case-insensitively.*fold: true/,
    );
    expect(() => write(name, { op: "like", path: ["address", "zip"], parts: ["x"], fold: true })).toThrow(/"address.zip".*folded/);
  });

  test("names that an engine would cut or take for one another are refused", () => {
    const withColumn = (column: string): CollectionModel => ({ ...model, columns: [...model.columns, { name: column, kind: "text" }] });
    expect(() => compileTable(withColumn("Status"), dialect)).toThrow(/"status" and "Status" differ at most by case/);
    expect(() => compileTable(withColumn("_tenant"), dialect)).toThrow(/_tenant/);
    expect(() => compileTable(withColumn("x".repeat(64)), dialect)).toThrow(/longer than 63 bytes/);
    expect(() => compileTable({ ...model, name: "" }, dialect)).toThrow(/is not a valid name of a table/);
  });
});
