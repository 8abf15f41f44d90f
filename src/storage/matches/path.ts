import type { Path } from "../scalar.js";

/** The values of a row by field: what filters evaluate. */
export type Values = Readonly<Record<string, unknown>>;

/** Reads the value at one path of a row; `undefined` if it is missing. */
export type Reader = (row: Values) => unknown;

/** Compiles a path into a reader, once per query. Follows members of objects only: inside an array, a scalar or null the value is missing. */
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
  return (value as Values)[key];
}
