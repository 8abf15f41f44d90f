import type { Filter } from "../../../ground/storage/filter.js";
import type { SelectionInput, SelectionText } from "../../fields/selection.js";
import { parseSearch } from "../conditions/search.js";
import { emptyValue } from "../fault.js";
import { type OrderKey, parseSort } from "../paging/sort.js";
import type { Parsing } from "../parsing.js";
import type { ControlName } from "./control.js";
import type { Words } from "./words.js";

/** Reads `sort`. */
export function parseSortText(text: string | undefined, parsing: Parsing): readonly OrderKey[] {
  const place = { parameter: "sort" };
  if (text === "") parsing.faults.push(emptyValue("sort", place));
  return parseSort(text === undefined || text === "" ? undefined : text.split(","), parsing, place);
}

/** Parses `q` or its synonym `search`. */
export function parseSearchText({ q, search }: Readonly<Words["controls"]>, parsing: Parsing): Filter | undefined {
  if (q !== undefined && search !== undefined) {
    parsing.faults.push({ code: "CONFLICTING_PARAMETERS", detail: `"q" and "search" mean the same; give one of them.`, parameter: "search" });
  }
  const text = q ?? search;
  return text === undefined ? undefined : parseSearch(text, parsing, { parameter: q === undefined ? "search" : "q" });
}

const noTypes: SelectionInput["types"] = new Map();
const nothing: SelectionInput = { include: [], types: noTypes };

/** The selection of fields and relations in a query string. */
export function selectionInput({ controls, types }: Readonly<Words>): SelectionInput {
  const { fields, exclude, include, expand } = controls;
  if (fields === undefined && exclude === undefined && include === undefined && expand === undefined && types === undefined) return nothing;
  const text = (name: ControlName): SelectionText | undefined => {
    const given = controls[name];
    return given === undefined ? undefined : { text: given, place: { parameter: name } };
  };
  const byType = [...(types ?? [])].map(([type, given]) => [type, { text: given, place: { parameter: `fields[${type}]` } }] as const);
  return {
    fields: text("fields"),
    exclude: text("exclude"),
    include: [text("include"), text("expand")].filter((given) => given !== undefined),
    types: byType.length === 0 ? noTypes : new Map(byType),
  };
}
