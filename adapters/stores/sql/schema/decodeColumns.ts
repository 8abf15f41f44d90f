import type { Row } from "../../../../src/ground/storage/collection.js";
import { objectMaker } from "../../../../src/ground/storage/values/objectMaker.js";
import type { SqlRow } from "../engine/executor.js";
import type { TableColumn } from "./table.js";

/** Decodes the given columns of a stored row. */
export function decodeColumns(columns: readonly TableColumn[], stored: SqlRow): Row {
  return decoderOf(columns)(stored);
}

const decoders = new WeakMap<readonly TableColumn[], (stored: SqlRow) => Row>();

function decoderOf(columns: readonly TableColumn[]): (stored: SqlRow) => Row {
  const known = decoders.get(columns);
  if (known !== undefined) return known;
  const make = objectMaker(columns.map((column) => ({ name: column.name, convert: column.decode }))) as (stored: SqlRow) => Row;
  const nest = columns.find(({ nesting }) => nesting !== undefined)?.nesting?.(columns) ?? backfilling(columns);
  const nested = nest === undefined ? make : (stored: SqlRow) => nest(make(stored));
  const decode = located(columns, withMade(columns, nested));
  decoders.set(columns, decode);
  return decode;
}

function located(columns: readonly TableColumn[], decode: (stored: SqlRow) => Row): (stored: SqlRow) => Row {
  const id = columns.find(({ locate }) => locate !== undefined);
  if (id === undefined) return decode;
  return (stored) => {
    try {
      return decode(stored);
    } catch (error) {
      id.locate?.(error, stored);
      throw error;
    }
  };
}

function withMade(columns: readonly TableColumn[], decode: (stored: SqlRow) => Row): (stored: SqlRow) => Row {
  const column = columns.find(({ made }) => made !== undefined);
  if (column?.made === undefined) return decode;
  const { name, made } = column;
  return (stored) => {
    const row: Record<string, unknown> & Row = decode(stored);
    row[name] = made.ofRow(stored);
    return row;
  };
}

/** Fills the values that rows were stored without; `undefined` if no column has a function for it. */
function backfilling(columns: readonly TableColumn[]): ((row: Row) => Row) | undefined {
  const filled = columns.filter(({ backfill }) => backfill !== undefined);
  if (filled.length === 0) return undefined;
  return (row: Record<string, unknown> & Row) => {
    for (const { name, backfill } of filled) if (row[name] === null) row[name] = backfill?.(row);
    return row;
  };
}
