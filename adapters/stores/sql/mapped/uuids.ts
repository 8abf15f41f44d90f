import type { CollectionModel, MappedField, MappedTable } from "../../../../src/ground/storage/model.js";
import { run, type Session } from "../engine/session.js";
import { quoteIdentifier } from "../schema/identifier.js";
import { type Catalog, type CatalogColumn, isComputed } from "./catalog.js";
import { type ColumnType, Unreadable } from "./columnType.js";
import { leavesOf } from "./leaves.js";
import { quotedName } from "./mappedColumn.js";

/** The letters of the UUIDs in a column of texts, if they are not small ones. */
export type UuidLetters = "capitals" | "mixed";

/** Rows that are looked at: a program writes all of its UUIDs in one form. */
const sampledRows = 200;

interface OpenedTable {
  readonly model: CollectionModel;
  readonly mapping: MappedTable;
  readonly catalog: Catalog | undefined;
}

/** The same tables with the letters of the UUIDs in their columns, which the first rows tell. */
export function withUuidLetters<T extends OpenedTable>(session: Session, tables: readonly T[]): Promise<readonly T[]> {
  return Promise.all(tables.map((table) => withLetters(session, table)));
}

async function withLetters<T extends OpenedTable>(session: Session, table: T): Promise<T> {
  const { model, mapping, catalog } = table;
  if (catalog === undefined || isComputed(catalog)) return table;
  const columns = new Map(catalog.columns);
  for (const { field, column } of leavesOf(model.name, mapping)) {
    const declared = columns.get(column);
    if (declared === undefined || !holdsUuidTexts(field, declared)) continue;
    const source = quoteIdentifier(column);
    const text = `select ${source} as item from ${quotedName(mapping.options)} where ${source} is not null limit ${sampledRows}`;
    const { rows } = await run(session, { text, values: [], writes: false, returns: "many" });
    const uuidLetters = lettersOf(rows.map(({ item }) => item));
    if (uuidLetters !== undefined) columns.set(column, { ...declared, uuidLetters });
  }
  return { ...table, catalog: { ...catalog, columns } };
}

const textTypes = /^(?:text|varchar|bpchar)$|CHAR|CLOB|TEXT|[GU]UID/;

/** Whether UUIDs are texts there whose cases the database distinguishes. */
function holdsUuidTexts({ type }: MappedField, column: CatalogColumn): boolean {
  return type === "uuid" && !column.isArray && !ignoresCase(column) && textTypes.test(column.type);
}

/** Such as `citext` and `collate nocase`. */
function ignoresCase({ isDeterministic, collation }: CatalogColumn): boolean {
  return !isDeterministic && collation !== "RTRIM";
}

function lettersOf(texts: readonly unknown[]): UuidLetters | undefined {
  const hasCapitals = texts.some((text) => typeof text === "string" && /[A-F]/.test(text));
  if (!hasCapitals) return undefined;
  return texts.some((text) => typeof text === "string" && /[a-f]/.test(text)) ? "mixed" : "capitals";
}

/** What the start says of columns whose UUIDs have both forms. */
export function warnOfMixedUuids(tables: readonly OpenedTable[], warn: (about: { readonly collection: string }, message: string) => void): void {
  for (const { model, catalog } of tables) {
    for (const { name, uuidLetters } of catalog?.columns.values() ?? []) {
      if (uuidLetters !== "mixed") continue;
      const message =
        `${model.name}: the column "${name}" holds UUIDs in small letters and in capitals. They are compared without regard to case, which no plain index serves, and ` +
        `unique indexes and foreign keys of the database distinguish them; set the column to lower("${name}").`;
      warn({ collection: model.name }, message);
    }
  }
}

/** The type of a column of texts for a field of UUIDs, whose values have small letters. */
export function uuidText(base: ColumnType, column: CatalogColumn): ColumnType {
  if (ignoresCase(column)) return { ...base, decode: small(base), same: sameUuid };
  if (column.uuidLetters === "mixed") return mixedType(base);
  if (column.uuidLetters === "capitals") return capitalsType(base);
  return { ...base, decode: requireSmall(base), unreadable: hasCapitals };
}

const lower = (text: string) => `lower(cast(${text} as text))`;
const upper = (text: string) => `upper(cast(${text} as text))`;

/** Parameters get capitals, so that indexes, unique keys and foreign keys of the database hold. The order of both forms is the same. */
function capitalsType(base: ColumnType): ColumnType {
  const { compare } = base;
  return {
    ...base,
    write: (parameter) => base.write(upper(parameter)),
    ...(compare && { compare: (parameter: string) => compare(upper(parameter)) }),
    decode: small(base),
    joinedAs: { group: "uuids in capitals", text: lower },
  };
}

function mixedType(base: ColumnType): ColumnType {
  const { text } = base;
  return {
    ...base,
    place: (column) => lower(base.place(column)),
    ...(text && { text: (column: string) => lower(text(column)) }),
    compare: (parameter) => `cast(${parameter} as text)`,
    decode: small(base),
    same: sameUuid,
    joinedAs: { group: undefined, text: lower },
  };
}

/** A UUID that is sent back as it was shown leaves the spelling in its column: other rows may name it. */
const sameUuid = (column: string, written: () => string) => `${lower(column)} = ${lower(written())}`;

/** Of other texts of this length it does not matter: they are no UUIDs. */
const hasCapitals = (column: string) => `(length(cast(${column} as text)) = 36 and cast(${column} as text) <> ${lower(column)})`;

const small =
  (base: ColumnType): ColumnType["decode"] =>
  (stored) =>
    String(base.decode(stored)).toLowerCase();

const capitals = /^[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}$/;

function requireSmall(base: ColumnType): ColumnType["decode"] {
  return (stored) => {
    const text = base.decode(stored);
    if (typeof text !== "string" || !/[A-F]/.test(text) || !capitals.test(text)) return text;
    throw new Unreadable("it is a UUID in capitals, and the rows that were there at the start have small letters; set the column to one form");
  };
}
