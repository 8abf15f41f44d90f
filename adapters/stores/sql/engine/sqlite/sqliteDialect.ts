import type { LikePart } from "../../../../../src/ground/storage/filter.js";
import { sqliteMapped } from "../../mapped/sqlite/engine.js";
import { placeOf } from "../../schema/place.js";
import type { Dialect } from "../dialect.js";
import { sqliteChanges } from "./sqliteChanges.js";
import { sqliteJson } from "./sqliteJson.js";
import { sqliteLocks } from "./sqliteLocks.js";
import { sqlitePlanner } from "./sqlitePlanner.js";
import { sqliteSchema } from "./sqliteSchema.js";
import { sqliteValues } from "./sqliteValues.js";

/** SQLite 3.45 and later. Its BINARY collation compares UTF-8 bytes, which order as code points do. */
export const sqliteDialect: Dialect = {
  name: "sqlite",
  title: "SQLite",
  place: placeOf(),
  isShared: false,
  hasSchemas: false,
  caseFold: "ascii",
  failureEndsTransaction: false,
  writesInWith: false,
  hasRoundTrips: false,
  // A constraint may say that a conflict ends the transaction, or replaces the row in the way.
  orAbort: " or abort",
  now: "cast(round(unixepoch('subsec') * 1000) as integer)",
  bytes: {
    type: "BLOB",
    bound: (parameter) => `coalesce(${parameter}, x'')`,
    part: (parameter, start, length) => `substr(${parameter}, ${start}, ${length})`,
    read: (column) => column,
  },
  locks: sqliteLocks,
  planner: sqlitePlanner,
  // Numbers in JSON are sometimes read with an error in the last digit, and plain parameters are faster.
  rows: {
    form: "lists",
    source: (parameter) => `json_each(${parameter}) as item`,
    member: (index) => `json_extract(item.value, '$[${index}]')`,
    order: "item.key",
  },
  schema: sqliteSchema,
  changes: sqliteChanges,
  syntax: { blanks: /^(?:[\s;]|--[^\n]*)+/, nestsComments: false, ignoresLaterStatements: true },
  mapped: sqliteMapped,
  placeholder: () => "?",
  ...sqliteValues,
  // SQLite does not search an index with "is not null". All numbers are above this bound, and so are all texts if the column does not convert it to text.
  valued: (kind, expression) => `${expression} >= ${kind === "text" || kind === "decimal" ? "''" : "-9e999"}`,
  distinct: (left, right) => `${left} is not ${right}`,
  like: (expression, parts, bindings) => `${expression} glob ${bindings.bind(parts.map(globPart).join(""))}`,
  position: (expression, needle) => `instr(${expression}, ${needle})`,
  ...sqliteJson,
};

/** A part of a `glob` pattern. `like` would ignore the case of ASCII letters. */
function globPart(part: LikePart): string {
  if (typeof part !== "string") return part.any === "one" ? "?" : "*";
  return part.replaceAll(/[*?[]/g, "[$&]");
}
