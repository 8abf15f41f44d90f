import type { Entry } from "./entry.js";
import type { Table } from "./table.js";
import { idKey } from "./tableKey.js";

/** Cuts rows into stretches of at most `longest`, in order, in which no two rows have a version, an operation id, an id or a unique key in common. */
export function* stretchesOf(table: Table, entries: readonly Entry[], longest: number): Generator<readonly Entry[], void, void> {
  let start = 0;
  let taken = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const names = namesOf(table, entry);
    if (index - start === longest || names.some((name) => taken.has(name))) {
      yield entries.slice(start, index);
      start = index;
      taken = new Set();
    }
    for (const name of names) taken.add(name);
  }
  if (start < entries.length) yield entries.slice(start);
}

/** A text for each value that only one row may have. */
function namesOf(table: Table, { row, operationId }: Entry): string[] {
  const names = [`version ${row._version}`];
  if (operationId !== undefined) names.push(`operation ${operationId}`);
  for (const [index, key] of [idKey(table.id), ...table.keys].entries()) {
    const values = key.valuesOf(row);
    if (values !== undefined && !values.includes(null)) names.push(`${index} ${values.join("\0")}`);
  }
  return names;
}
