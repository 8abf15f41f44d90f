import type { CollectionModel } from "../model.js";
import type { Path } from "../values/scalar.js";
import { compareDecimals } from "./compareDecimals.js";
import { compareValues } from "./compareValues.js";

/** Orders two values of rows: negative, zero or positive. */
export type Compare = (left: unknown, right: unknown) => number;

/** How the values at a path are ordered. */
export type CompareAt = (path: Path) => Compare;

/** The order of each column of a model: texts of decimals are ordered as numbers. */
export function comparisonsOf({ columns }: Pick<CollectionModel, "columns">): CompareAt {
  const decimals = new Set(columns.flatMap(({ name, kind }) => (kind === "decimal" ? [name] : [])));
  return ([name, ...keys]) => (keys.length === 0 && decimals.has(name) ? compareTexts : compareValues);
}

function compareTexts(left: unknown, right: unknown): number {
  return typeof left === "string" && typeof right === "string" ? compareDecimals(left, right) : compareValues(left, right);
}
