import type { Principal } from "../auth/verifier.js";
import type { ProblemItem } from "../problem/index.js";
import { permission } from "../schema/access.js";
import { closest } from "./hint.js";
import type { QueryTable } from "./table.js";

/** The fault of a name that is none, or that this principal must take for none: hints name only what it may read. */
export function unknownField(name: string, parameter: string, table: QueryTable, principal: Principal): ProblemItem {
  const visible = [...table.keys]
    .filter(([, known]) => known.kind === "control" || permission(known.root.access, "filter", principal) === "allowed")
    .map(([key]) => key);
  const near = closest(name, visible);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return {
    code: "UNKNOWN_FIELD",
    detail: `Unknown field "${name.slice(0, 64)}" in "${parameter.slice(0, 64)}".${hint}`,
    parameter: parameter.slice(0, 128),
    ...(near === undefined ? {} : { hint: near }),
  };
}
