import type { ProblemItem } from "../problem/index.js";
import type { Gate } from "../schema/access.js";
import type { SortKey } from "../storage/query.js";
import type { QueryTable } from "./table.js";
import { unknownField } from "./unknown.js";

/** Reads `sort=-createdAt,name`. The id is appended as the last key, so that the order of a page is total. */
export function parseSort(text: string | undefined, table: QueryTable, gate: Gate, maximumKeys: number, problems: ProblemItem[]): readonly SortKey[] {
  const keys: SortKey[] = [];
  const named = new Set<string>();
  const parts = text === undefined ? [] : text.split(",").map((part) => part.trim());
  if (parts.length > maximumKeys) {
    problems.push({ code: "QUERY_TOO_COMPLEX", detail: `"sort" has ${parts.length} keys; allowed: ${maximumKeys}.`, parameter: "sort" });
    return keys;
  }
  for (const part of parts) {
    const descending = part.startsWith("-");
    const name = descending || part.startsWith("+") ? part.slice(1) : part;
    const fault = faultOf(name, named, table, gate);
    const target = table.keys.get(name);
    if (fault) problems.push(fault);
    else if (target?.kind === "field") keys.push({ path: target.path, dir: descending ? "desc" : "asc" });
    named.add(name);
  }
  if (!named.has(table.id.key)) keys.push({ path: table.id.path, dir: "asc" });
  return keys;
}

function faultOf(name: string, named: ReadonlySet<string>, table: QueryTable, gate: Gate): ProblemItem | undefined {
  if (name === "") return { code: "EMPTY_VALUE", detail: `"sort" has an empty key.`, parameter: "sort" };
  const target = table.keys.get(name);
  const allowed = target?.kind === "field" ? gate(target.root, "sort") : "hidden";
  if (target?.kind !== "field" || allowed === "hidden") return unknownField(name, "sort", table, gate);
  if (allowed === "forbidden") return { code: "FORBIDDEN_FIELD", detail: `You may not sort by "${name}".`, parameter: "sort" };
  if (named.has(name)) return { code: "REPEATED_PARAMETER", detail: `"sort" names "${name}" twice.`, parameter: "sort" };
  if (target.sortable) return undefined;
  const sortable = [...table.keys.values()].filter((known) => known.kind === "field" && known.sortable && gate(known.root, "sort") === "allowed");
  const allowedNames = sortable.map((known) => (known.kind === "field" ? known.key : known.name));
  return {
    code: "SORT_NOT_ALLOWED",
    detail: `Cannot sort by "${name}"; allowed: ${allowedNames.join(", ")}.`,
    parameter: "sort",
    allowed: allowedNames,
  };
}
