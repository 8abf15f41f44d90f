import type { FaultLocation } from "../../../ground/problem/faultLocation.js";
import { quote } from "../../../ground/problem/quote.js";
import type { SortKey } from "../../../ground/storage/query.js";
import type { Gate } from "../../schema/access.js";
import type { QueryField } from "../conditions/field.js";
import { emptyValue, forbiddenField, tooComplex } from "../fault.js";
import type { Parsing } from "../parsing.js";
import type { QueryTable } from "../table.js";
import { unknownField } from "../unknownField.js";

/** A key of a total order. */
export interface OrderKey extends SortKey {
  readonly field: QueryField;
}

/**
 * Reads `sort=-createdAt,name`. The id is appended as the last key, so that the order is total. Its direction is that of the key before it: then an index on the
 * keys serves the order in both directions.
 *
 * @param parts keys, each with an optional `-` or `+`
 */
export function parseSort(parts: readonly string[] | undefined, parsing: Parsing, place: FaultLocation): readonly OrderKey[] {
  const { table, settings, faults } = parsing;
  const maxKeys = settings.limits.sortKeys;
  if (parts === undefined) return ending([], table);
  if (parts.length > maxKeys) {
    faults.push(tooComplex(`Keys of "sort"`, parts.length, maxKeys, place));
    return ending([], table);
  }
  const keys: OrderKey[] = [];
  for (const part of parts) {
    const key = parseKey(part.trim(), parsing, place);
    if (key === undefined) continue;
    if (keys.some(({ field }) => field === key.field)) {
      faults.push({ code: "REPEATED_PARAMETER", detail: `"sort" names "${key.field.key}" twice.`, ...place });
    }
    keys.push(key);
  }
  return ending(keys, table);
}

/** Adds the parts of the id that the keys lack. */
function ending(keys: readonly OrderKey[], { ids }: QueryTable): readonly OrderKey[] {
  const dir = keys.at(-1)?.dir ?? "asc";
  return [...keys, ...ids.filter((id) => !keys.some(({ field }) => field === id)).map((id) => orderKey(id, dir))];
}

function parseKey(part: string, parsing: Parsing, place: FaultLocation): OrderKey | undefined {
  const { table, gate, faults } = parsing;
  const descending = part.startsWith("-");
  const name = descending || part.startsWith("+") ? part.slice(1) : part;
  const field = table.fields.get(name);
  const allowed = field === undefined ? "hidden" : gate(field.root, "sort");
  if (name === "") faults.push(emptyValue("sort", place));
  else if (field === undefined || allowed === "hidden") unknownField(name, place, parsing);
  else if (allowed === "forbidden") faults.push(forbiddenField(name, "sort", place));
  else if (field.sortable) return orderKey(field, descending ? "desc" : "asc");
  else faults.push({ code: "SORT_NOT_ALLOWED", detail: `Cannot sort by ${quote(name)}.`, ...place, allowed: sortableNames(table, gate) });
  return undefined;
}

function orderKey(field: QueryField, dir: SortKey["dir"]): OrderKey {
  return { path: field.path, dir, field };
}

function sortableNames({ fields }: QueryTable, gate: Gate): string[] {
  return [...fields.values()].filter(({ root, sortable }) => sortable && gate(root, "sort") === "allowed").map(({ key }) => key);
}
