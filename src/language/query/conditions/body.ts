import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import { quote } from "../../../ground/problem/quote.js";
import type { Filter } from "../../../ground/storage/filter.js";
import { isStorable } from "../../../ground/storage/values/isStorable.js";
import type { SelectionInput, SelectionText } from "../../fields/selection.js";
import { cut, emptyValue, type Faults, hintAt } from "../fault.js";
import { meantName } from "../grammar/otherNames.js";
import type { ListQuery } from "../grammar/parse.js";
import { allOf } from "../grammar/tree.js";
import { parsePage } from "../paging/page.js";
import { parseSort } from "../paging/sort.js";
import type { Parsing } from "../parsing.js";
import { parseSearch } from "./search.js";
import { parseWhere } from "./where.js";

/** Members of a search in a body. */
const words = ["filter", "sort", "fields", "exclude", "include", "q", "page", "perPage", "cursor", "count"] as const;

const placeOf = (word: string) => ({ pointer: pointer([word]) });

/**
 * Parses a search from a JSON body: everything that a query string can express, plus `and`, `or`, `not` and null. Lists of names may be strings or arrays.
 *
 * Faults are collected, each with a JSON pointer.
 */
export function parseSearchBody(body: unknown, parsing: Parsing): ListQuery {
  const { faults } = parsing;
  const members = isObject(body) ? body : {};
  if (!isObject(body)) faults.push({ code: "INVALID_VALUE", detail: "A search must be an object.", pointer: "" });
  for (const name of Object.keys(members)) {
    if (!isWord(name)) unknownWord(name, faults);
  }
  return parseQueryMembers(members, "filter", parsing);
}

/**
 * Parses a query from its members; others are ignored.
 *
 * @param word name of the member that holds the filter
 */
export function parseQueryMembers(members: Readonly<Record<string, unknown>>, word: "filter" | "where", parsing: Parsing): ListQuery {
  const { settings, faults } = parsing;
  const { [word]: filter, sort, q } = members;
  const conditions = filter === undefined ? undefined : parseWhere(filter, parsing, [word]);
  const search = readSearch(q, parsing);
  const keys = readNames(sort, "sort", faults);
  return {
    filter: allOf([conditions, search].filter((part) => part !== undefined)),
    sort: parseSort(keys, parsing, placeOf("sort")),
    ...parsePage(members, settings, faults, placeOf),
    selection: readSelection(members, faults),
  };
}

function isWord(name: string): boolean {
  return (words as readonly string[]).includes(name);
}

function unknownWord(name: string, faults: Faults): void {
  const near = meantName(name, words);
  const detail = `A search has no member ${quote(name)}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  faults.push({ code: "UNKNOWN_FIELD", detail, ...cut({ pointer: pointer([name]) }), allowed: words, ...hintAt(near) });
}

function readSearch(q: unknown, parsing: Parsing): Filter | undefined {
  if (q === undefined) return undefined;
  if (typeof q === "string" && isStorable(q)) return parseSearch(q, parsing, placeOf("q"));
  parsing.faults.push({ code: "INVALID_VALUE", detail: `"q" must be a text without NUL and without halves of surrogate pairs.`, ...placeOf("q") });
  return undefined;
}

/** Parses names from a comma-separated string or an array. */
function readNames(value: unknown, word: string, faults: Faults): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const names = typeof value === "string" ? value.split(",") : value;
  if (value === "" || (Array.isArray(value) && value.length === 0)) faults.push(emptyValue(word, placeOf(word)));
  else if (isTexts(names)) return names;
  else faults.push({ code: "INVALID_VALUE", detail: `"${word}" must be a text or an array of texts.`, ...placeOf(word) });
  return undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Reads `fields`, `exclude` and `include`. */
export function readSelection(members: Readonly<Record<string, unknown>>, faults: Faults): SelectionInput {
  const { fields, exclude, include } = members;
  const types = new Map<string, SelectionText>();
  // An object selects fields by type, as `fields[type]` does.
  if (isObject(fields)) {
    for (const [type, names] of Object.entries(fields)) {
      const text = textOf(names, ["fields", type], faults);
      if (text !== undefined) types.set(type, text);
    }
  }
  const included = textOf(include, ["include"], faults);
  return {
    fields: isObject(fields) ? undefined : textOf(fields, ["fields"], faults),
    exclude: textOf(exclude, ["exclude"], faults),
    include: included === undefined ? [] : [included],
    types,
  };
}

function textOf(value: unknown, path: readonly string[], faults: Faults): SelectionText | undefined {
  if (value === undefined) return undefined;
  const place = { pointer: pointer(path) };
  if (typeof value === "string") return { text: value, place };
  if (isTexts(value)) return { text: value.join(","), place };
  faults.push({ code: "INVALID_VALUE", detail: `"${path.join(".")}" must be a text or an array of texts.`, ...place });
  return undefined;
}
