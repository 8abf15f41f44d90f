import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Path } from "../../../../src/ground/storage/values/scalar.js";
import type { Dialect } from "../engine/dialect.js";
import { quoteText } from "./identifier.js";
import type { TablePlace } from "./table.js";

/** A member that the object in a JSON column may lack, and the value that stands for what is at or below it. */
export interface MissingKeys {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/**
 * Finds the defaults of a path.
 *
 * @returns a function of the path and of the number of its steps that lead to the column
 */
export function missingIn({ memberDefaults = [] }: CollectionModel): (path: Path, steps: number) => readonly MissingKeys[] | undefined {
  if (memberDefaults.length === 0) return () => undefined;
  const cases = new Map(memberDefaults.map((each) => [JSON.stringify(each.path), each.cases]));
  return (path, steps) =>
    cases
      .get(JSON.stringify(path))
      ?.filter(({ missing }) => missing.length > steps)
      .map(({ missing, value }) => ({ keys: missing.slice(steps), value }));
}

/** An expression with a text for each place; where a row lacks the value, one of the text that stands for it. */
export function orMissing(dialect: Dialect, { column, missing = [] }: TablePlace, expression: string, change: (text: string) => string): string {
  const texts = missing.flatMap(({ keys, value }) => (typeof value === "string" ? [{ keys, value: change(value) }] : []));
  if (texts.length === 0) return expression;
  return `case ${texts.map(({ keys, value }) => `when ${dialect.jsonLacks(column.quoted, keys)} then ${quoteText(value)}`).join(" ")} else ${expression} end`;
}
