import { hiddenIdName } from "../../../../../src/ground/storage/compositeId.js";
import type { TableOptions } from "../../../../../src/ground/storage/tableOptions.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlExecutor } from "../../engine/executor.js";
import type { Session } from "../../engine/session.js";
import { quoteIdentifier, quoteText } from "../../schema/identifier.js";
import type { TableColumn } from "../../schema/table.js";
import type { Catalog } from "../catalog.js";
import { computedColumn, type MappedColumn, unmappedColumns } from "../mappedColumn.js";
import type { MappedDialect, MappedEngine, RowVersion } from "../mappedEngine.js";
import type { MappedSqlTable } from "../mappedTable.js";
import { inTableOrder, nameOfParts, otherPartsOf, sealOfParts, type VersionPart } from "../versionParts.js";
import { readPostgresCatalogs } from "./readCatalog.js";
import { failingCast, postgresRefusal } from "./refusals.js";
import { type PostgresServer, readServer } from "./server.js";
import { postgresType } from "./types.js";

/** Arguments of one call of a function; PostgreSQL allows 100. */
const maxArguments = 90;

/** How PostgreSQL reads tables of the developer. */
export const postgresMapped: MappedDialect = {
  async open(session) {
    const server = await readServer(session);
    return (key) => postgresEngine(key, server, session.dialect);
  },
  readCatalogs: readPostgresCatalogs,
};

/**
 * What is special about PostgreSQL for tables of the developer.
 *
 * @param key of the hashes that versions are, so that clients cannot compute them from guessed values
 */
function postgresEngine(key: string, { version, unicode }: PostgresServer, dialect: Dialect): MappedEngine {
  return {
    dialect,
    ...{ hasEpochs: false, keepsDigits: true, altersColumns: true, hasXmin: true },
    now: "clock_timestamp()",
    typeOf: ({ field, as }, column, options) => (as === undefined ? postgresType({ field }, column, options.zone ?? "UTC") : undefined),
    groupOf: ({ type, cast }) => comparedTypes.get(type) ?? cast,
    version(columns, ids, options, catalog) {
      const isCounted = options.version === "xmin" || typeof options.version === "object";
      return isCounted ? comparedVersion(ofCounter(key, ids, options, catalog)) : ofValues(key, columns, options, catalog);
    },
    // Version 12 has no normalize().
    fold(text, isAscii) {
      const normal = version >= 130_000 ? `normalize(${text}, nfc)` : text;
      return `lower(${normal}${isAscii && unicode !== undefined ? ` collate ${unicode}` : ""})`;
    },
    // An offset such as `+02:00` would be read with the opposite sign.
    zones: { allowed: 'name it as in "UTC" or "Europe/Berlin"', isZone },
    placeColumn,
    rowid: () => ({ rowid: undefined, keyTerms: [] }),
    beforeWrite: checkAtOnce,
    failing: failingCast,
    refusal: async (_session, table, error, write) => postgresRefusal(table, error, write),
  };
}

const placeForm = /^\(\d+,\d+\)$/;

/** A scalar, since a row value that contains another one searches no index. */
function placeColumn({ isSpread }: Catalog): TableColumn {
  if (isSpread) return computedColumn(hiddenIdName, `(tableoid::text || ctid::text) collate "C"`);
  const accepts = (value: Scalar) => typeof value === "string" && placeForm.test(value);
  const item = (text: string) => `${text}::text::tid`;
  return {
    ...{ ...computedColumn(hiddenIdName, "ctid::text"), quoted: "ctid", accepts, item },
    comparable: (value, bindings) => (accepts(value) ? item(bindings.bind(value)) : undefined),
  };
}

/** Types of one name here are compared with each other; any other type only with itself. */
const comparedTypes: ReadonlyMap<string, string> = new Map([
  ...["int2", "int4", "int8", "numeric"].map((type) => [type, "number"] as const),
  ...["text", "varchar"].map((type) => [type, "text"] as const),
]);

const checking = new WeakSet<SqlExecutor>();

/** A savepoint has the mode of the transaction that it is a part of; if it sets one and is rolled back, that is undone. */
async function checkAtOnce(session: Session, { catalog }: MappedSqlTable): Promise<void> {
  if (!catalog.isDeferred || !session.inTransaction || session.defersConstraints) return;
  for (let each: Session | undefined = session; each !== undefined; each = each.above) if (checking.has(each.executor)) return;
  await session.executor.query({ text: "set constraints all immediate", values: [], writes: true, returns: "none" });
  checking.add(session.executor);
}

function isZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** A keyed hash of a text, as 22 letters: a client could otherwise guess the values of hidden fields. */
function sealed(key: string, text: string): string {
  const hash = `sha256(convert_to(${quoteText(`${key}:`)} || ${text}, 'UTF8'))`;
  return `translate(encode(substring(${hash} from 1 for 16), 'base64'), '+/=', '-_')`;
}

function comparedVersion(expression: string): RowVersion {
  const column = computedColumn("_version", expression);
  return { column, unchanged: (version, _stored, bindings) => `${column.quoted} = ${bindings.bind(version)}` };
}

/** The id belongs to it, so that two rows never have the same tag. */
function ofCounter(key: string, ids: readonly MappedColumn[], { version }: TableOptions, catalog: Catalog): string {
  const id = ids.map(({ type, source }) => type.read(source));
  const counted = typeof version === "object" ? [plainText(version.column, catalog)] : ["xmin::text", "ctid::text"];
  return sealed(key, textOf([...id, ...counted]));
}

function ofValues(key: string, columns: readonly MappedColumn[], options: TableOptions, catalog: Catalog): RowVersion {
  const parts = inTableOrder([
    ...columns.map(({ declared: { position }, type, source }) => ({ position, expression: type.read(source) })),
    ...unmappedColumns(columns, options, catalog).map(({ name, position }) => ({ position, expression: plainText(name, catalog) })),
  ]);
  const versionOf = (these: readonly VersionPart[]) => {
    const text = textOf(these.map(({ expression }) => expression));
    return `${sealed(`${key}:${sealOfParts(these)}`, text)} || ${quoteText(nameOfParts(these))}`;
  };
  return {
    ...comparedVersion(versionOf(parts)),
    earlier(version) {
      const others = otherPartsOf(version, parts);
      return others && computedColumn("_earlier", versionOf(others));
    },
  };
}

/** The text of a timestamp depends on the settings of the connection, that of a number does not. */
function plainText(name: string, { columns }: Catalog): string {
  const column = quoteIdentifier(name);
  return /^time/.test(columns.get(name)?.type ?? "") ? `extract(epoch from ${column})::text` : `${column}::text`;
}

function textOf(expressions: readonly string[]): string {
  const parts: string[] = [];
  for (let start = 0; start < expressions.length; start += maxArguments) {
    parts.push(`jsonb_build_array(${expressions.slice(start, start + maxArguments).join(", ")})`);
  }
  return `(${parts.join(" || ")})::text`;
}
