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
  const only = known.flatMap((side) => side.only ?? []).join(" and ");
  const left = known.map(({ expression }) => expression).join(", ");
  const right = known.map(({ parameter }) => parameter).join(", ");
  return guarded({ only: only === "" ? undefined : only }, `(${left}) ${op === "gt" ? ">" : "<"} (${right})`);
}
