import type { Bindings } from "./bindings.js";
import type { Lexicographic } from "./lexicographic.js";
import { guarded, writeSides } from "./sides.js";
import type { Table } from "./table.js";

/** Writes `(a, b) > (?, ?)`; `undefined` where a member cannot compare with its value. */
export function writeLexicographic({ op, members }: Lexicographic, table: Table, bindings: Bindings): string | undefined {
  const bound = bindings.values.length;
  const sides = members.map(({ path, value }) => writeSides(path, value, table, bindings));
  const known = sides.filter((side) => side !== undefined);
  if (known.length < sides.length) {
    bindings.values.length = bound;
    return undefined;
  }
  const [first, ...others] = known;
  if (first === undefined) return undefined;
  // Of another type than its value, the first member decides for the whole row value, the others only where all before them tie.
  const left = [first.expression, ...others.map(({ typed }) => typed)].join(", ");
  const right = known.map(({ parameter }) => parameter).join(", ");
  return guarded(first, `(${left}) ${op === "gt" ? ">" : "<"} (${right})`);
}
