import { ProblemError, problemDocument } from "../../../src/ground/problem/index.js";
import type { ListQuery } from "../../../src/language/query/grammar/parse.js";

/** All that a client, or a store, can tell of how a query was taken, as text. */
export function outcomeOf(run: () => ListQuery): string {
  try {
    const { sort, selection, ...query } = run();
    const keys = sort.map(({ path, dir }) => [path, dir]);
    return textOf({ ...query, sort: keys, selection: { ...selection, types: [...selection.types] } });
  } catch (error) {
    if (error instanceof ProblemError) return textOf(problemDocument(error, "request"));
    throw error;
  }
}

function textOf(value: object): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? `${member}n` : member));
}
