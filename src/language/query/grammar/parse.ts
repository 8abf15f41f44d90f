import { ProblemError, problemOf } from "../../../ground/problem/index.js";
import type { SelectionInput } from "../../fields/selection.js";
import { parseGroup } from "../conditions/filter.js";
import { parsePresence } from "../conditions/has.js";
import { type Faults, tooComplex } from "../fault.js";
import { type PageRequest, parsePage } from "../paging/page.js";
import type { OrderKey } from "../paging/sort.js";
import type { Parsing } from "../parsing.js";
import { byteLength } from "../values/byteLength.js";
import { checkPatterns } from "../values/patterns.js";
import { collectParameters } from "./collect.js";
import { parseSearchText, parseSortText, selectionInput } from "./controls.js";
import { allOf, type FilterTree } from "./tree.js";

/** A list request, typed and checked. */
export interface ListQuery extends PageRequest {
  readonly filter: FilterTree | undefined;
  /** A total order: the id is the last key. */
  readonly sort: readonly OrderKey[];
  /** The selection of fields and relations, which the `fields` room parses. */
  readonly selection: SelectionInput;
  /** Whether deleted rows are listed, alone or with the others. */
  readonly deleted?: "only" | "with" | undefined;
}

/**
 * Parses the raw query string of a list request against the compiled keys of its collection, with one look-up per parameter. Faults are collected.
 *
 * @param raw The text after `?`, never a framework's parsed form.
 * @throws {ProblemError} URI_TOO_LONG, MALFORMED_QUERY, QUERY_TOO_COMPLEX for more parameters than are allowed
 */
export function parseListQuery(raw: string, parsing: Parsing): ListQuery {
  const { settings, faults } = parsing;
  const { limits } = settings;
  if (isLonger(raw, limits.targetBytes)) {
    throw new ProblemError("URI_TOO_LONG", `The query is longer than ${limits.targetBytes} bytes.`, { extensions: { maximum: limits.targetBytes } });
  }
  const { decode, words, groups } = collectParameters(raw, parsing);
  const { controls } = words;
  const filters: FilterTree[] = [];
  for (const group of groups) {
    const filter = parseGroup(group, decode, parsing);
    if (filter !== undefined) filters.push(filter);
  }
  let conditions = groups.length;
  if (controls.has !== undefined) {
    const present = parsePresence(controls.has, parsing);
    conditions += present.length;
    filters.push(...present);
  }
  if (conditions > limits.conditions) faults.push(tooComplex("Conditions", conditions, limits.conditions));
  checkPatterns(filters, limits, faults);
  const search = parseSearchText(controls, parsing);
  if (search !== undefined) filters.push(search);
  const sort = parseSortText(controls.sort, parsing);
  const { page, perPage, cursor, count } = parsePage(controls, settings, faults, parameterOf);
  const query = { filter: allOf(filters), sort, page, perPage, cursor, count, selection: selectionInput(words) };
  const { deleted } = controls;
  if (deleted === undefined) return query;
  if (deleted === "only" || deleted === "with") return { ...query, deleted };
  faults.push({ code: "INVALID_VALUE", detail: `"deleted" must be "only" or "with".`, parameter: "deleted" });
  return query;
}

/** A query from the wire has one byte per character; a query in code may be any text. */
function isLonger(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && byteLength(text) > bytes);
}

const parameterOf = (parameter: string) => ({ parameter });

/**
 * Ends a request that has faults.
 *
 * @throws {ProblemError} 400 with every fault listed; 403 FORBIDDEN_FIELD if nothing else is wrong
 */
export function refuseFaults(faults: Faults): void {
  const [first] = faults;
  if (first === undefined) return;
  const graver = faults.find(({ code }) => code !== "FORBIDDEN_FIELD");
  const maximum = faults.length === 1 ? first.maximum : undefined;
  throw problemOf((graver ?? first).code, faults, {
    status: graver === undefined ? 403 : 400,
    extensions: maximum === undefined ? {} : { maximum },
  });
}
