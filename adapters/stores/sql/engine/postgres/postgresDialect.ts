import type { LikePart } from "../../../../../src/ground/storage/filter.js";
import { postgresMapped } from "../../mapped/postgres/engine.js";
import { placeOf } from "../../schema/place.js";
import type { Dialect } from "../dialect.js";
import { postgresChanges } from "./postgresChanges.js";
import { postgresJson } from "./postgresJson.js";
import { postgresLocks } from "./postgresLocks.js";
import { postgresPlanner } from "./postgresPlanner.js";
import { postgresRows, postgresSequence } from "./postgresRows.js";
import { postgresSchema } from "./postgresSchema.js";
import { postgresValues } from "./postgresValues.js";

/** PostgreSQL 12 and later. */
export const postgresDialect: Dialect = {
  name: "postgres",
  title: "PostgreSQL",
  place: placeOf(),
  isShared: true,
  hasSchemas: true,
  caseFold: "unicode",
  failureEndsTransaction: true,
  writesInWith: true,
  hasRoundTrips: true,
  orAbort: "",
  now: "floor(extract(epoch from clock_timestamp()) * 1000)::bigint",
  bytes: {
    type: "bytea",
    bound: (parameter) => `${parameter}::bytea`,
    part: (parameter, start, length) => `substring(${parameter}::bytea from ${start}::int for ${length}::int)`,
    read: (column) => `encode(${column}, 'base64')`,
  },
  locks: postgresLocks,
  planner: postgresPlanner,
  rows: postgresRows,
  sequence: postgresSequence,
  schema: postgresSchema,
  changes: postgresChanges,
  // A carriage return ends a comment of one line, too.
  syntax: { blanks: /^(?:[\s;]|--[^\n\r]*)+/, nestsComments: true, ignoresLaterStatements: false },
  mapped: postgresMapped,
  placeholder: (position) => `$${position}`,
  ...postgresValues,
  valued: (_kind, expression) => `${expression} is not null`,
  distinct: (left, right) => `${left} is distinct from ${right}`,
  like: (expression, parts, bindings) => `${expression} like ${bindings.bind(parts.map(likePart).join(""))}`,
  among: (kind, expression, values, bindings) => `${expression} = any(${bindings.bind(arrayText(values))}::${kind === "text" ? "text" : "bigint"}[])`,
  position: (expression, needle) => `strpos(${expression}, ${needle})`,
  ...postgresJson,
};

/** A list as the text of an array. */
function arrayText(values: readonly (string | number | bigint)[]): string {
  return `{${values.map((value) => (typeof value === "string" ? `"${value.replaceAll(/["\\]/g, "\\$&")}"` : String(value))).join(",")}}`;
}

function likePart(part: LikePart): string {
  if (typeof part !== "string") return part.any === "one" ? "_" : "%";
  return part.replaceAll(/[\\%_]/g, "\\$&");
}
