import type { ProblemItem } from "../problem/index.js";
import type { Gate } from "../schema/access.js";
import { closest } from "./hint.js";
import type { QueryTable } from "./table.js";

/** The fault of a name that is none, or that this gate must take for none: hints name only what it may read. */
export function unknownField(name: string, parameter: string, table: QueryTable, gate: Gate): ProblemItem {
  const visible = [...table.keys].filter(([, known]) => known.kind === "control" || gate(known.root, "filter") === "allowed").map(([key]) => key);
  const near = closest(name, visible);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return {
    code: "UNKNOWN_FIELD",
    detail: `Unknown field "${name.slice(0, 64)}" in "${parameter.slice(0, 64)}".${hint}`,
    parameter: parameter.slice(0, 128),
    ...(near === undefined ? {} : { hint: near }),
  };
}
