import { duplicateCode } from "../../ground/problem/index.js";
import type { LinkedResource } from "../resource/relations/link.js";
import type { Describing } from "./describing.js";

/** What a query of one row may be refused for. */
export const selectionCodes = [
  "MALFORMED_QUERY",
  "UNKNOWN_FIELD",
  "UNKNOWN_RELATION",
  "UNKNOWN_TYPE",
  "INVALID_VALUE",
  "EMPTY_VALUE",
  "EMPTY_SELECTION",
  "REPEATED_PARAMETER",
  "CONFLICTING_PARAMETERS",
  "QUERY_TOO_COMPLEX",
  "FORBIDDEN_FIELD",
];

/** What a filter may be refused for. */
export const filterCodes = [...selectionCodes, "UNKNOWN_OPERATOR", "OPERATOR_NOT_ALLOWED", "SINGLE_VALUE_REQUIRED"];

/** What the query of a list may be refused for. */
export const listCodes = [...filterCodes, "SORT_NOT_ALLOWED", "OFFSET_TOO_LARGE", "INVALID_CURSOR", "QUERY_TIMEOUT"];

/** What a request with preconditions may be refused for. */
export const conditionCodes = ["MALFORMED_HEADER", "PRECONDITION_FAILED"];

/** What a write of a row may be refused for. */
export function writeCodes(describing: Describing, linked: LinkedResource): readonly string[] {
  const { resource } = linked;
  const holdsFiles = [...linked.fields.values()].some(({ scalar }) => scalar?.link !== undefined);
  const references = [...linked.relations.values()].some(({ name, kind }) => kind === "belongsTo" && !linked.fields.has(name));
  return [
    "VALIDATION_FAILED",
    "INVALID_VALUE",
    "READ_ONLY_FIELD",
    "FORBIDDEN_FIELD",
    "OUT_OF_SCOPE",
    "WRITE_CONFLICT",
    "ROW_TOO_LARGE",
    "HOOK_TIMEOUT",
    ...duplicateCodes(describing, linked),
    ...(holdsFiles ? ["FILE_NOT_AVAILABLE"] : []),
    ...(references || resource.model.table !== undefined ? ["UNKNOWN_REFERENCE"] : []),
    ...(resource.model.table === undefined ? [] : ["DUPLICATE", "REFUSED_BY_DATABASE", "ROW_IN_USE"]),
  ];
}

/** The codes of the unique keys whose fields the caller may know of. */
function duplicateCodes({ gate }: Describing, { resource, fields }: LinkedResource): readonly string[] {
  const keys = [resource.idNames, ...resource.model.unique.map((unique) => unique.fields)];
  const isKnown = (name: string) => {
    const field = fields.get(name);
    return field !== undefined && (gate(field, "read") !== "hidden" || gate(field, "write") !== "hidden");
  };
  return keys.filter((names) => names.every(isKnown)).map(duplicateCode);
}

/** What a table of the developer may refuse with another status than its code has, or with a code of the developer. */
export function refusalsOf({ resource }: LinkedResource): Readonly<Record<string, number>> {
  const table = resource.model.table?.options;
  if (table === undefined) return {};
  const raised = Object.values(table.raised ?? {}).map(({ code, status }) => [code, status] as const);
  return Object.fromEntries([["INVALID_VALUE", 422] as const, ...raised]);
}
