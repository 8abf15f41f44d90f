import type { TableOptions } from "../../../../../src/ground/storage/tableOptions.js";
import type { SqlRow } from "../../engine/executor.js";
import { run, type Session } from "../../engine/session.js";
import type { Catalog, CatalogColumn, CatalogForeignKey, CatalogIndex } from "../catalog.js";
import * as text from "./catalogQueries.js";

const kinds: Readonly<Record<string, Catalog["kind"]>> = { r: "table", p: "partitioned", v: "view", m: "view", f: "foreign" };

/**
 * Reads what PostgreSQL says about tables and views, in a few statements for all of them.
 *
 * @returns in the order of the names; `undefined` if there is no table or view of this name
 */
export async function readPostgresCatalogs(session: Session, names: readonly TableOptions["name"][]): Promise<readonly (Catalog | undefined)[]> {
  const wanted = names.map((name) => (typeof name === "string" ? { schema: null, name } : name));
  const found = await rowsOf(session, text.findTables, JSON.stringify(wanted));
  const oids = JSON.stringify([...new Set(found.map(({ oid }) => String(oid)))]);
  const read = async (query: string) => (found.length === 0 ? new Map<string, SqlRow[]>() : byTable(await rowsOf(session, query, oids)));
  const columns = await read(text.readColumns);
  const indexes = await read(text.readIndexes);
  const constraints = await read(text.readConstraints);
  const byPosition = new Map(found.map((row) => [Number(row["position"]), row]));
  return wanted.map(({ schema, name }, index) => {
    const table = byPosition.get(index + 1);
    if (table === undefined) return undefined;
    const oid = String(table["oid"]);
    const of = (rows: ReadonlyMap<string, SqlRow[]>) => rows.get(oid) ?? [];
    return {
      name: schema === null ? name : `${schema}.${name}`,
      ...{ identity: oid, kind: kinds[String(table["kind"])] ?? "table", isUpdatable: isTrue(table["updatable"]) },
      isSpread: isTrue(table["spread"]),
      hasPlaces: ["r", "p", "m"].includes(String(table["kind"])),
      columns: new Map(of(columns).map((row) => [String(row["name"]), columnOf(row)])),
      indexes: of(indexes).map(indexOf),
      foreignKeys: of(constraints).flatMap((row) => (row["type"] === "f" ? [foreignKeyOf(row)] : [])),
      constraints: new Set(of(constraints).map((row) => String(row["name"]))),
      triggers: { fillsInserts: isTrue(table["fills_inserts"]), onInsert: isTrue(table["on_insert"]), onUpdate: isTrue(table["on_update"]) },
      hasAfterTriggers: isTrue(table["after"]),
      isDeferred: isTrue(table["deferred"]),
      isWithoutRowid: true,
    };
  });
}

async function rowsOf(session: Session, query: string, names: string): Promise<readonly SqlRow[]> {
  return (await run(session, { text: query, values: [names], writes: false, returns: "many" })).rows;
}

function byTable(rows: readonly SqlRow[]): Map<string, SqlRow[]> {
  const tables = new Map<string, SqlRow[]>();
  for (const row of rows) {
    const oid = String(row["table"]);
    const known = tables.get(oid);
    if (known === undefined) tables.set(oid, [row]);
    else known.push(row);
  }
  return tables;
}

function columnOf(row: SqlRow): CatalogColumn {
  const isArray = isTrue(row["is_array"]);
  const type = String(isArray ? row["element"] : row["type"]);
  const identity = String(row["identity"]);
  const isComputed = String(row["generated"]) !== "" || !isTrue(row["updatable"]);
  return {
    name: String(row["name"]),
    position: Number(row["position"]),
    type,
    cast: String(row["cast"]),
    isArray,
    ...(isArray && { elementCast: String(row["element_cast"]) }),
    labels: row["labels"] === null ? undefined : (JSON.parse(String(row["labels"])) as string[]),
    ...limitsOf(type, Number(row["modifier"])),
    isNullable: !isTrue(row["required"]),
    hasDefault: isTrue(row["has_default"]) || identity !== "",
    defaultValue: row["default_value"] === null ? undefined : String(row["default_value"]),
    generated: identity === "a" || isComputed ? "always" : identity === "d" ? "by-default" : "no",
    isNumbered: identity !== "",
    isDeterministic: isTrue(row["deterministic"]) && type !== "citext",
    foldsAscii: isTrue(row["folds_ascii"]),
  };
}

/** The modifier of a type: a length or precision, as each type packs it. The scale of a number has 11 bits, with a sign since version 15. */
function limitsOf(type: string, modifier: number): Pick<CatalogColumn, "maxLength" | "precision" | "scale"> {
  const none = { maxLength: undefined, precision: undefined, scale: undefined };
  if (modifier < 0) return none;
  if (type === "varchar" || type === "bpchar") return { ...none, maxLength: modifier - 4 };
  if (type === "numeric") return { ...none, precision: ((modifier - 4) >> 16) & 0xffff, scale: ((modifier - 4) << 21) >> 21 };
  return type.startsWith("time") ? { ...none, precision: modifier } : none;
}

function indexOf(row: SqlRow): CatalogIndex {
  return {
    name: String(row["name"]),
    columns: (JSON.parse(String(row["columns"])) as (string | null)[]).map((name) => name ?? undefined),
    isUnique: isTrue(row["is_unique"]),
    isPrimary: isTrue(row["is_primary"]),
    predicate: row["predicate"] === null ? undefined : String(row["predicate"]),
    isDeferrable: isTrue(row["deferrable"]),
  };
}

const deletions: Readonly<Record<string, CatalogForeignKey["onDelete"]>> = {
  a: "refuse",
  r: "refuse",
  c: "cascade",
  n: "set-null",
  d: "set-default",
};

function foreignKeyOf(row: SqlRow): CatalogForeignKey {
  return {
    name: String(row["name"]),
    columns: JSON.parse(String(row["columns"])) as string[],
    references: { table: String(row["references"]), columns: JSON.parse(String(row["referenced"])) as string[] },
    onDelete: deletions[String(row["on_delete"])],
  };
}

function isTrue(value: unknown): boolean {
  return value === "true" || value === "t" || value === true;
}
