import { objectMaker } from "../../../../src/ground/storage/values/objectMaker.js";
import type { OwnTable } from "../schema/table.js";
import { type InsertColumn, insertColumns } from "./insert.js";
import { sequenceIn } from "./numbering.js";
import { recordsOf } from "./recordset.js";
import { isAsItIs } from "./rowCells.js";
import { type SameAs, type SharedLayout, SharedLayouts } from "./sharedLayouts.js";

/**
 * The text of an insert of any number of rows as records. Its parameters are the records of the rows as one JSON text, the two of `sequenceOf` if the store assigns ids,
 * and the values of the shared columns.
 */
export interface RecordLayout extends SharedLayout {
  readonly text: string;
  /** The same with the id and the version of each inserted row. */
  readonly returning: string;
  /** @param cells the values of a row as rows have them */
  recordOf(cells: readonly unknown[]): Readonly<Record<string, unknown>>;
  encodeShared(cells: readonly unknown[]): readonly unknown[];
}

/** What an insert of records is like. */
export interface RecordInsert {
  /** Whether the store assigns the ids of some rows. */
  readonly numbers: boolean;
  /** Whether it leaves out the rows of which a key is taken, or fails. */
  readonly conflicts: "leave" | "fail";
  /** Whether it fails rather than wait until a transaction that has taken a key of a row ends. */
  readonly isGathered?: boolean | undefined;
}

const layouts = new WeakMap<OwnTable, Map<string, SharedLayouts<RecordLayout>>>();

export function recordLayouts(table: OwnTable, insert: RecordInsert): SharedLayouts<RecordLayout> {
  const all = layouts.get(table) ?? new Map<string, SharedLayouts<RecordLayout>>();
  layouts.set(table, all);
  const name = `${insert.numbers} ${insert.conflicts} ${insert.isGathered}`;
  const known = all.get(name) ?? new SharedLayouts((shared) => writeLayout(table, insert, shared));
  all.set(name, known);
  return known;
}

function writeLayout(table: OwnTable, { numbers, conflicts, isGathered }: RecordInsert, shared: readonly number[]): RecordLayout {
  const columns = insertColumns(table, false);
  const { dialect } = table;
  const records = recordsOf(dialect);
  const { placeholder } = dialect;
  const first = numbers ? 4 : 2;
  const own = [...columns.keys()].filter((index) => !shared.includes(index));
  const values = columns.map(({ kind }, index) => {
    const place = shared.indexOf(index);
    if (place === -1) return `given.c${index}`;
    return records.shared(placeholder(first + place), kind, dialect.columnType(kind));
  });
  const selected = values.map((value, index) =>
    numbers && columns[index]?.quoted === table.id.quoted ? `coalesce(${value}, ${sequenceIn(dialect).next(placeholder(2), placeholder(3))})` : value,
  );
  const types = own.map((index) => `c${index} ${dialect.columnType(columns[index]?.kind ?? "text")}`);
  const names = own.map((index) => `c${index}`);
  // The rows are inserted in the order of the list: of two with one key the first is kept.
  const source = records.numbered(placeholder(1), types, names);
  const text =
    `insert into ${table.quoted} (${columns.map(({ quoted }) => quoted).join(", ")}) select ${selected.join(", ")} from ${source}${isGathered ? `, ${records.brief}` : ""} ` +
    `order by given.ord${conflicts === "leave" ? " on conflict do nothing" : ""}`;
  return {
    text,
    returning: `${text} returning ${table.id.quoted}, "_version"`,
    shared,
    recordOf: recordMaker(columns, own),
    encodeShared: (cells) => shared.map((index) => columns[index]?.encode(cells[index])),
  };
}

/** Makes records with the members `c0`, `c1` … of the cells of a row. @param own the positions of the columns that the records have */
export function recordMaker(
  columns: readonly InsertColumn[],
  own: readonly number[] = [...columns.keys()],
): (cells: readonly unknown[]) => Readonly<Record<string, unknown>> {
  return objectMaker(
    own.map((index) => {
      const column = columns[index];
      // The records are JSON as a whole, so that JSON in them is not encoded before.
      const isReady = column === undefined || column.kind === "json" || isAsItIs(column);
      return { name: `c${index}`, key: index, convert: isReady ? undefined : column.encode };
    }),
  );
}

/** Compares values as rows have them. Of JSON, the same members in another order are not the same. */
export const storedLike: SameAs = (value) => {
  if (value instanceof Date) return (other) => other instanceof Date && other.getTime() === value.getTime();
  if (typeof value !== "object" || value === null) return (other) => Object.is(value, other);
  const text = JSON.stringify(value);
  return (other) => typeof other === "object" && other !== null && JSON.stringify(other) === text;
};
