import type { CollectionModel, MemberDefault, MissingMember } from "../model.js";
import type { RowValues } from "../values/rowValues.js";
import type { Path } from "../values/scalar.js";

/** Reads the value at one path of a row; `undefined` if it is missing. */
export type Reader = (row: RowValues) => unknown;

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
  return (value as RowValues)[key];
}

/** Compiles the reader of a path. */
export type ReadAt = (path: Path) => Reader;

/** Readers of the rows of a model: a member that a row lacks has its default. */
export function readersOf({ memberDefaults = [] }: Pick<CollectionModel, "memberDefaults">): ReadAt {
  if (memberDefaults.length === 0) return compilePath;
  const made = known.get(memberDefaults) ?? makeReaders(memberDefaults);
  known.set(memberDefaults, made);
  return made;
}

/** A model is read by many queries. */
const known = new WeakMap<readonly MemberDefault[], ReadAt>();

function makeReaders(memberDefaults: readonly MemberDefault[]): ReadAt {
  const cases = new Map(memberDefaults.map((each) => [JSON.stringify(each.path), each.cases]));
  return (path) => {
    const read = compilePath(path);
    const missing = path.length === 1 ? undefined : cases.get(JSON.stringify(path));
    return missing === undefined ? read : withDefaults(read, missing);
  };
}

function withDefaults(read: Reader, missing: readonly MissingMember[]): Reader {
  const cases = missing.map(({ missing: path, value }) => ({
    above: compilePath(path.slice(0, -1) as unknown as Path),
    name: path.at(-1) ?? "",
    value,
  }));
  return (row) => {
    const found = read(row);
    return found === undefined ? cases.find(({ above, name }) => lacks(above(row), name))?.value : found;
  };
}

function lacks(object: unknown, name: string): boolean {
  return typeof object === "object" && object !== null && !Array.isArray(object) && !Object.hasOwn(object, name);
}
