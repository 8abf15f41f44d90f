import type { Row } from "../../src/storage/collection.js";
import type { Path } from "../../src/storage/scalar.js";

/** Reads one place of a row; `undefined` where it is missing. */
export type Reader = (row: Row) => unknown;

/** A reader made once per query. Members of objects only: an array, a scalar or a null on the way makes the place missing. */
export function compilePath(path: Path): Reader {
  const [name, ...rest] = path;
  const read: Reader = name in Object.prototype ? (row) => member(row, name) : (row) => row[name];
  if (rest.length === 0) return read;
  return (row) => {
    let value = read(row);
    for (const key of rest) value = member(value, key);
    return value;
  };
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}
