import type { Dialect } from "../../../../../../adapters/stores/sql/engine/dialect.js";
import { sqliteDialect } from "../../../../../../adapters/stores/sql/engine/sqlite/sqliteDialect.js";
import { sqliteJson } from "../../../../../../adapters/stores/sql/engine/sqlite/sqliteJson.js";
import { placeOf } from "../../../../../../adapters/stores/sql/schema/place.js";
import { loftPlanner } from "./planner.js";
import { loftSchema } from "./schema.js";
import { loftValues } from "./values.js";

/** An engine that only the tests have. SQLite stores its rows, but its SQL is another wherever both can be understood. */
export const loftDialect: Dialect = {
  name: "loft",
  title: "Loft",
  place: placeOf(),
  isShared: false,
  hasSchemas: false,
  caseFold: "ascii",
  failureEndsTransaction: true,
  writesInWith: false,
  hasRoundTrips: true,
  orAbort: "",
  now: "cast(unixepoch('subsec') * 1000.0 + 0.5 as integer)",
  // Hexadecimal text.
  bytes: {
    type: "clob",
    bound: (parameter) => `hex(${parameter})`,
    part: (parameter, start, length) => `hex(substr(${parameter}, ${start}, ${length}))`,
    read: (column) => `unhex(${column})`,
  },
  locks: {
    update: "",
    share: "",
    skipLocked: "",
    shareOf: () => "",
    conflicting: (column) => `update set ${column} = excluded.${column}`,
    claim: ({ number, group }) => ({ from: ` from (select ${number} as "kind", @p1 as "of") as waited`, values: [group ?? null] }),
  },
  planner: loftPlanner,
  rows: {
    form: "lists",
    source: (parameter) => `(select value as part, key as at from json_each(${parameter})) as given`,
    member: (index) => `(given.part ->> ${index})`,
    order: "given.at",
  },
  schema: loftSchema,
  changes: sqliteDialect.changes,
  syntax: sqliteDialect.syntax,
  placeholder: (position) => `@p${position}`,
  ...loftValues,
  valued: (_kind, expression) => `${expression} is not null`,
  distinct: (left, right) => `${left} is distinct from ${right}`,
  like: sqliteDialect.like,
  position: (expression, needle) => `coalesce(instr(${expression}, ${needle}), 0)`,
  ...sqliteJson,
  list: (kind, parameter) => `select cast(value as ${kind === "int" ? "integer" : "text"}) as item from json_each(${parameter})`,
  jsonItem: (expression, index) => `(${expression} ->> ${index})`,
};
