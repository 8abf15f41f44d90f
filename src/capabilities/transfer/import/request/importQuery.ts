import type { Limits } from "../../../../ground/limits/limits.js";
import { quote } from "../../../../ground/problem/quote.js";
import { type Faults, repeatedParameter } from "../../../../language/query/fault.js";
import { decoderOf } from "../../../../language/query/grammar/decode.js";
import { eachParameter } from "../../../../language/query/grammar/parameters.js";
import { unknownParameter } from "../../../../language/query/grammar/unknownParameter.js";
import type { TransferFormat } from "../../rows.js";
import type { ImportSettings } from "../../settings.js";

const strategies = ["continue", "stop"] as const;
const modes = ["insert", "upsert", "update"] as const;
const strictness = ["error", "ignore"] as const;
const formulaRules = ["literal", "escaped"] as const;
const switches = ["true", "false"] as const;
const delimiters: ReadonlyMap<string, string> = new Map([
  [",", ","],
  [";", ";"],
  ["\t", "\t"],
  ["tab", "\t"],
  ["|", "|"],
]);

const names = ["onError", "maxErrors", "mode", "key", "dryRun", "unknownColumns", "delimiter", "offset", "skipUnchanged", "formulas"] as const;

type Name = (typeof names)[number];
type Given = Partial<Record<Name | "collection", string>>;

const errorsLimit = 10_000;

/** The parsed query of an import. */
export interface ImportQuery {
  /** Name of the collection, if the query names it. */
  readonly collection: string | undefined;
  readonly settings: ImportSettings;
}

/** Options of `parseImportQuery`. */
export interface ImportQueryOptions {
  readonly format: TransferFormat;
  /** Whether the query names the collection. */
  readonly namesCollection: boolean;
  readonly limits: Limits;
  ignores(name: string): boolean;
}

/**
 * Parses the query of an import.
 *
 * @throws {ProblemError} MALFORMED_QUERY, QUERY_TOO_COMPLEX
 */
export function parseImportQuery(raw: string, { format, namesCollection, limits, ignores }: ImportQueryOptions, faults: Faults): ImportQuery {
  const given: Given = {};
  const map: Record<string, string> = {};
  const allowed: readonly (keyof Given)[] = namesCollection ? ["collection", ...names] : names;
  const decode = decoderOf(raw);
  eachParameter(raw, limits.parameters, decode, (key, value) => {
    const name = allowed.find((each) => each === key);
    const header = /^map\[(.+)\]$/s.exec(key)?.[1];
    if (name !== undefined) take(given, name, decode(value), faults);
    else if (header !== undefined) take(map, header, decode(value), faults, key);
    else if (!ignores(key)) faults.push(unknownParameter(key, [...allowed, "map[…]"]));
  });
  const mode = oneOf(given, "mode", modes, "insert", faults);
  return { collection: given.collection, settings: { format, map, mode, ...settingsOf(given, mode, faults) } };
}

function settingsOf(given: Given, mode: ImportSettings["mode"], faults: Faults): Omit<ImportSettings, "format" | "map" | "mode"> {
  if (mode !== "insert" && given.key === undefined) {
    faults.push({ code: "INVALID_VALUE", detail: `"mode=${mode}" needs "key" with the field by which existing rows are found.`, parameter: "key" });
  }
  if (mode === "insert" && given.key !== undefined) {
    faults.push({ code: "CONFLICTING_PARAMETERS", detail: `"key" needs "mode=upsert" or "mode=update".`, parameter: "key" });
  }
  return {
    onError: oneOf(given, "onError", strategies, "continue", faults),
    maxErrors: wholeNumber(given, "maxErrors", errorsLimit, { maximum: errorsLimit }, faults),
    key: given.key,
    dryRun: oneOf(given, "dryRun", switches, "false", faults) === "true",
    unknownColumns: oneOf(given, "unknownColumns", strictness, "error", faults),
    delimiter: delimiterOf(given.delimiter, faults),
    offset: wholeNumber(given, "offset", 0, { maximum: Number.MAX_SAFE_INTEGER }, faults),
    skipUnchanged: oneOf(given, "skipUnchanged", switches, "false", faults) === "true",
    formulas: oneOf(given, "formulas", formulaRules, "literal", faults),
  };
}

function take(given: Partial<Record<string, string>>, name: string, value: string, faults: Faults, key = name): void {
  if (Object.hasOwn(given, name)) faults.push(repeatedParameter(key));
  Object.defineProperty(given, name, { value, enumerable: true, configurable: true, writable: true });
}

function oneOf<const T extends string>(given: Given, name: Name, allowed: readonly T[], otherwise: NoInfer<T>, faults: Faults): T {
  const text = given[name];
  if (text === undefined) return otherwise;
  const found = allowed.find((each) => each === text);
  if (found !== undefined) return found;
  faults.push({ code: "INVALID_VALUE", detail: `"${name}" must be ${allowed.join(" or ")}; got ${quote(text)}.`, parameter: name, allowed });
  return otherwise;
}

function wholeNumber(given: Given, name: Name, otherwise: number, { maximum }: { readonly maximum: number }, faults: Faults): number {
  const text = given[name];
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && value <= maximum) return value;
  faults.push({
    code: "INVALID_VALUE",
    detail: `"${name}" must be a whole number of at most ${maximum}; got ${quote(text)}.`,
    parameter: name,
    maximum,
  });
  return otherwise;
}

function delimiterOf(text: string | undefined, faults: Faults): string {
  const found = text === undefined ? "," : delimiters.get(text);
  if (found !== undefined) return found;
  const allowed = [",", ";", "|", "tab"];
  const detail = `"delimiter" must be one of ${allowed.join(" ")}; got ${quote(text ?? "")}.`;
  faults.push({ code: "INVALID_VALUE", detail, parameter: "delimiter", allowed });
  return ",";
}
