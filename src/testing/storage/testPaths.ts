import type { RowValues } from "../../ground/storage/values/rowValues.js";
import type { Path, Scalar } from "../../ground/storage/values/scalar.js";

/** A value other than null. */
export type Value = Exclude<Scalar, null>;

/** A column or a path inside JSON, with values that stores may handle differently. */
export interface TestPath {
  readonly path: Path;
  /** Distinct values, lowest first. */
  readonly ascending: readonly Value[];
  /** A value that no row has, and how many of `ascending` are below it. */
  readonly between?: readonly [value: Value, below: number] | undefined;
  /** Values of other types: no value of `ascending` equals them or compares with them. */
  readonly foreign: readonly Value[];
  /** A value that equals one of `ascending` but has another type. */
  readonly twin?: readonly [value: Value, position: number] | undefined;
}

export const testPaths: readonly TestPath[] = [
  {
    path: ["name"],
    ascending: ["", " ", "10", "9", "Z", "a", "a!", "aa", "e\u0301", "\u00e9", "\ufb00", "\uffee", "\u{1f600}"],
    between: ["b", 8],
    foreign: [9, 9n, true, new Date(0)],
  },
  {
    path: ["quantity"],
    ascending: [Number.MIN_SAFE_INTEGER, -10, -9, 0, 9, 10, Number.MAX_SAFE_INTEGER],
    between: [9.5, 5],
    foreign: ["9", false, new Date(9)],
    twin: [9n, 4],
  },
  {
    path: ["price"],
    ascending: [-1e308, -2.5, 0, 5e-324, 0.1, 10, 1e308],
    between: [0.05, 4],
    foreign: ["10", false, new Date(10)],
    twin: [10n, 5],
  },
  {
    path: ["serial"],
    ascending: [-(2n ** 63n), -1n, 0n, 9_007_199_254_740_992n, 9_007_199_254_740_993n, 2n ** 63n - 1n],
    between: [5n, 3],
    foreign: ["0", false, new Date(0)],
    twin: [0, 2],
  },
  { path: ["active"], ascending: [false, true], foreign: [0, 1, "true", new Date(1)] },
  {
    path: ["at"],
    ascending: [
      new Date("0000-01-01T00:00:00.000Z"),
      new Date("0001-01-01T00:00:00.000Z"),
      new Date("1899-12-31T23:59:59.999Z"),
      new Date(-1),
      new Date(0),
      new Date(1),
      new Date("2024-02-29T23:59:59.999Z"),
      new Date("2024-03-01T00:00:00.000Z"),
      new Date("9999-12-31T23:59:59.999Z"),
    ],
    between: [new Date(2), 6],
    foreign: [0, 0n, "1970-01-01T00:00:00.000Z", true],
  },
  { path: ["address", "city"], ascending: ["", "B", "a", "a b", "\u00eele", "\u{1f600}"], between: ["a!", 4], foreign: [0, true, new Date(0)] },
  {
    path: ["address", "floor"],
    ascending: [-1e300, -2.5, 0, 0.1, 3, 9_007_199_254_740_992],
    between: [2.5, 4],
    foreign: ["3", true, false, new Date(3)],
    twin: [3n, 4],
  },
  { path: ["address", "geo", "open"], ascending: [false, true], foreign: [0, 1, "true", "false"] },
  { path: ["address", "geo", "latitude"], ascending: [-90, -1.5, 0, 48.5], between: [1, 3], foreign: ["48.5", "", true], twin: [0n, 2] },
  { path: ["address", "geo", "zone", "code"], ascending: ["A", "Z", "a", "z", "\u00fc"], between: ["Za", 2], foreign: [1, true] },
];

/** The rank of a row's value at a path: its position in `ascending`, a value of another type, or no value. */
export type Rank = number | "other" | "nothing";

/** A row, and the rank of its value at each path. */
export interface RankedRow {
  readonly values: RowValues;
  rank(testPath: TestPath): Rank;
}

/** Rows with the first, the second … value of every path. */
export const valuedRows: readonly RankedRow[] = Array.from(
  { length: Math.max(...testPaths.map(({ ascending }) => ascending.length)) },
  (_, position) => ({
    values: testPaths.reduce<RowValues>((row, { path, ascending }) => set(row, path, ascending[position]), {}),
    rank: ({ ascending }) => (position < ascending.length ? position : "nothing"),
  }),
);

const nothing = (): Rank => "nothing";

/** Rows without a value at any path, each in a different way. */
export const emptyRows: readonly RankedRow[] = [
  {},
  testPaths.reduce<RowValues>((row, { path }) => set(row, path, null), {}),
  { address: null },
  { address: {} },
  { address: { geo: null } },
  { address: { geo: {} } },
  { address: { geo: "zone" } },
  { address: { geo: [{ open: true, latitude: 0 }] } },
  { address: { geo: { zone: 1 } } },
  { address: [{ city: "a" }] },
  { address: "a" },
  { address: 3 },
].map((values) => ({ values, rank: nothing }));

const foreign: RowValues = { city: 7, floor: "seven", geo: { open: 7, latitude: "seven", zone: { code: 7 } } };
const structured: RowValues = { city: {}, floor: [3], geo: { open: [], latitude: {}, zone: { code: { a: "a" } } } };

/** Rows whose JSON has values of other types, but none of the `foreign` values. */
export const foreignRows: readonly RankedRow[] = [foreign, structured].map((address) => ({
  values: { address },
  rank: ({ path }) => (path.length > 1 ? "other" : "nothing"),
}));

/** The value of a row at a path; null if there is none. */
export function valueAt(row: RowValues, path: Path): Scalar {
  let value: unknown = row;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return (value ?? null) as Scalar;
}

function set(values: RowValues, [name, ...keys]: readonly string[], value: Scalar | undefined): RowValues {
  if (name === undefined || value === undefined) return values;
  if (keys.length === 0) return { ...values, [name]: value };
  const inner = values[name];
  return { ...values, [name]: set(isObject(inner) ? inner : {}, keys, value) };
}

function isObject(value: unknown): value is RowValues {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
