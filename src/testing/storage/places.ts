import type { Path, Scalar } from "../../storage/scalar.js";
import type { Values } from "./stage.js";

/** A value that is there. */
export type Value = Exclude<Scalar, null>;

/** A column or a place inside JSON, with values that tell stores apart. */
export interface Place {
  readonly path: Path;
  /** Lowest first, each another. */
  readonly ascending: readonly Value[];
  /** A value that no row has, and how many of `ascending` are below it. */
  readonly between?: readonly [value: Value, below: number] | undefined;
  /** Values of other types: none of `ascending` equals them, is above or below. */
  readonly foreign: readonly Value[];
  /** The same as one of `ascending`, in another type. */
  readonly twin?: readonly [value: Value, position: number] | undefined;
}

export const places: readonly Place[] = [
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

/** Where a row stands at a place: the position of its value, or something that compares with none, or nothing. */
export type Standing = number | "other" | "nothing";

/** A row of places, and where it stands at each. */
export interface PlacedRow {
  readonly values: Values;
  standing(place: Place): Standing;
}

/** Rows with the first, the second … value of every place. */
export const valuedRows: readonly PlacedRow[] = Array.from(
  { length: Math.max(...places.map(({ ascending }) => ascending.length)) },
  (_, position) => ({
    values: places.reduce<Values>((row, { path, ascending }) => set(row, path, ascending[position]), {}),
    standing: ({ ascending }) => (position < ascending.length ? position : "nothing"),
  }),
);

const nothing = (): Standing => "nothing";

/** Rows that have nothing at any place, each in its own way. */
export const emptyRows: readonly PlacedRow[] = [
  {},
  places.reduce<Values>((row, { path }) => set(row, path, null), {}),
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
].map((values) => ({ values, standing: nothing }));

const foreign: Values = { city: 7, floor: "seven", geo: { open: 7, latitude: "seven", zone: { code: 7 } } };
const structured: Values = { city: {}, floor: [3], geo: { open: [], latitude: {}, zone: { code: { a: "a" } } } };

/** Rows whose JSON holds values of other types than the others, and none of those that `foreign` of a place names. */
export const foreignRows: readonly PlacedRow[] = [foreign, structured].map((address) => ({
  values: { address },
  standing: ({ path }) => (path.length > 1 ? "other" : "nothing"),
}));

/** The value of a row at a path; null where there is none. */
export function valueAt(row: Values, path: Path): Scalar {
  let value: unknown = row;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return (value ?? null) as Scalar;
}

function set(values: Values, [name, ...keys]: readonly string[], value: Scalar | undefined): Values {
  if (name === undefined || value === undefined) return values;
  if (keys.length === 0) return { ...values, [name]: value };
  const inner = values[name];
  return { ...values, [name]: set(isObject(inner) ? inner : {}, keys, value) };
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
