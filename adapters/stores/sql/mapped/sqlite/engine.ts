import { hiddenIdName } from "../../../../../src/ground/storage/compositeId.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import type { Dialect } from "../../engine/dialect.js";
import { isInt64 } from "../../query/inList.js";
import { rowidOf, type TableColumn } from "../../schema/table.js";
import type { Catalog } from "../catalog.js";
import { computedColumn, type MappedColumn } from "../mappedColumn.js";
import type { MappedDialect, MappedEngine } from "../mappedEngine.js";
import { checkDefaults } from "./defaults.js";
import { checkDeferredKeys } from "./deferredKeys.js";
import { offsetMinutes } from "./instants.js";
import { readSqliteCatalogs } from "./readCatalog.js";
import { sqliteRefusal } from "./refusals.js";
import { sqliteType } from "./types.js";
import { sqliteVersion } from "./version.js";

/** How SQLite reads tables of the developer. */
export const sqliteMapped: MappedDialect = {
  open:
    async ({ dialect }) =>
    (key) =>
      sqliteEngine(key, dialect),
  readCatalogs: readSqliteCatalogs,
  checkDefaults: (session, { model, mapping, catalog }, report) => checkDefaults(session, model.name, mapping, catalog, report),
};

/**
 * What is special about SQLite for tables of the developer.
 *
 * @param key of the hashes that versions are, so that clients cannot compute them from guessed values
 */
function sqliteEngine(key: string, dialect: Dialect): MappedEngine {
  return {
    dialect,
    ...{ hasEpochs: true, keepsDigits: false, altersColumns: false, hasXmin: false },
    now: "unixepoch()",
    typeOf: sqliteType,
    version: (columns, ids, options, catalog) => sqliteVersion(key, columns, ids, options, catalog),
    fold: (text) => `lower(${text})`,
    foldsAscii: true,
    zones: { allowed: 'on SQLite it is "UTC" or an offset such as "+02:00"', isZone: (name) => offsetMinutes(name) !== undefined },
    placeColumn: ({ columns }) => placeColumn(String(rowidOf([...columns.keys()]))),
    rowid: rowidTerms,
    afterWrite: checkDeferredKeys,
    refusal: sqliteRefusal,
  };
}

/** @param rowid a name of the row id */
function placeColumn(rowid: string): TableColumn {
  const accepts = (value: Scalar) => typeof value === "string" && /^-?\d{1,19}$/.test(value) && isInt64(BigInt(value));
  return {
    ...{ ...computedColumn(hiddenIdName, rowid), accepts },
    comparable: (value, bindings) => (accepts(value) ? bindings.bind(BigInt(String(value))) : undefined),
    listed: (values, bindings) => `${rowid} in (${bindings.dialect.list("int", bindings.bind(`[${values.filter(accepts).join(",")}]`))})`,
  };
}

function rowidTerms(catalog: Catalog, ids: readonly MappedColumn[]): ReturnType<MappedEngine["rowid"]> {
  const isRowid = ids.length === 1 && ids[0]?.declared.generated === "by-default";
  return {
    rowid: catalog.isWithoutRowid ? idValue(ids) : rowidOf([...catalog.columns.keys()]),
    isRowidId: catalog.isWithoutRowid,
    keyTerms: [isRowid || ids.length === 0 ? ["rowid=?"] : ids.map(({ leaf }) => `${leaf.column}=?`)],
  };
}

/** One value for an id of several columns: their values as JSON. */
function idValue(ids: readonly MappedColumn[]): string | undefined {
  return ids.length === 1 ? ids[0]?.source : `json_array(${ids.map(({ source }) => source).join(", ")})`;
}
