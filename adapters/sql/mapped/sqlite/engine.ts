import { hash } from "node:crypto";
import type { TableOptions } from "../../../../src/storage/tableOptions.js";
import { sqliteDialect } from "../../engine/sqlite/sqliteDialect.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import { rowidOf } from "../../schema/table.js";
import type { Catalog } from "../catalog.js";
import { type MappedColumn, unmappedColumns } from "../mappedColumn.js";
import type { MappedEngine } from "../mappedEngine.js";
import { checkDeferredKeys } from "./deferredKeys.js";
import { offsetMinutes } from "./instants.js";
import { sqliteRefusal } from "./refusals.js";
import { affinityOf, sqliteType } from "./types.js";

/**
 * What is special about SQLite for tables of the developer.
 *
 * @param key of the hashes that versions are, so that clients cannot compute them from guessed values
 */
export function sqliteEngine(key: string): MappedEngine {
  return {
    dialect: sqliteDialect,
    now: "unixepoch()",
    typeOf: ({ field, as }, column, options) => sqliteType({ field, as }, column, options),
    version: (columns, ids, options, catalog) => versionText(columns, ids, options, catalog),
    seal: (text) => hash("sha256", `${key}:${text}`, "base64url").slice(0, 22),
    fold: (text) => `lower(${text})`,
    foldsAscii: true,
    zones: { allowed: 'on SQLite it is "UTC" or an offset such as "+02:00"', isZone: (name) => offsetMinutes(name) !== undefined },
    rowid: (catalog, ids) => rowidIn(catalog, ids),
    afterWrite: checkDeferredKeys,
    refusal: sqliteRefusal,
  };
}

/** SQLite has no hash function: the version of a row is made from this text when it is read. */
function versionText(columns: readonly MappedColumn[], ids: readonly MappedColumn[], options: TableOptions, catalog: Catalog): string {
  const { version } = options;
  if (version === "xmin") throw new Error(`${catalog.name}: SQLite has no "xmin"; say version: "hash", or { column } with an integer.`);
  if (typeof version === "object") {
    const declared = catalog.columns.get(version.column);
    if (declared === undefined || affinityOf(declared.type) !== "integer") {
      throw new Error(
        `${catalog.name}: the version column "${version.column}" must be an integer: instants of SQLite are the same within a millisecond.`,
      );
    }
    return textOf([...ids.map(({ source }) => source), quoteIdentifier(version.column)]);
  }
  return textOf([...columns.map(({ source }) => source), ...unmappedColumns(columns, options).map(quoteIdentifier)]);
}

/** `quote` ends a text at a NUL character, so its bytes follow. */
function textOf(columns: readonly string[]): string {
  const parts = columns.map((column) => `quote(${column}) || case when instr(${column}, char(0)) then hex(${column}) else ',' end`);
  return `(${joined(parts)})`;
}

/** A balanced tree: SQLite refuses expressions that are nested more than 1,000 deep. */
function joined(parts: readonly string[]): string {
  if (parts.length <= 2) return parts.join(" || ");
  const middle = parts.length >>> 1;
  return `(${joined(parts.slice(0, middle))}) || (${joined(parts.slice(middle))})`;
}

function rowidIn(catalog: Catalog, ids: readonly MappedColumn[]): ReturnType<MappedEngine["rowid"]> {
  const isRowid = ids.length === 1 && ids[0]?.declared.generated === "by-default";
  return {
    rowid: catalog.isWithoutRowid ? ids[0]?.source : rowidOf([...catalog.columns.keys()]),
    isRowidId: catalog.isWithoutRowid,
    keyTerms: isRowid ? ["rowid=?"] : ids.map(({ leaf }) => `${leaf.column}=?`),
  };
}
