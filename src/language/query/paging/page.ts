import type { FaultLocation } from "../../../ground/problem/faultLocation.js";
import { quoteValue } from "../../../ground/problem/quote.js";
import { emptyValue, type Faults } from "../fault.js";
import type { QuerySettings } from "../settings.js";

/** How a total is counted: up to the limit (`estimated`, default), completely, or not at all. */
export type CountMode = "estimated" | "exact" | "none";

/** The requested part of a list: a page by its number (from 1), or the rows on one side of a cursor. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
  readonly cursor: string | undefined;
  readonly count: CountMode;
}

/** The parameters of a request that select the page, as text or as JSON values. */
export interface PageInput {
  readonly page?: unknown;
  readonly perPage?: unknown;
  readonly cursor?: unknown;
  readonly count?: unknown;
}

/** Returns where in the request a parameter was. */
export type LocationOf = (word: string) => FaultLocation;

const modes: readonly CountMode[] = ["exact", "estimated", "none"];

/** Reads `page`, `perPage`, `cursor` and `count`. More than the limit is a fault, unless the settings lower it to the limit. */
export function parsePage(input: PageInput, settings: QuerySettings, faults: Faults, locationOf: LocationOf): PageRequest {
  const { limits, overflow } = settings;
  const page = parsePositive("page", input.page, { fallback: 1, maximum: largest }, faults, locationOf);
  const maximum = overflow === "clamp" ? largest : limits.maxPerPage;
  const perPage = Math.min(parsePositive("perPage", input.perPage, { fallback: limits.perPage, maximum }, faults, locationOf), limits.maxPerPage);
  const cursor = parseCursorText(input.cursor, faults, locationOf);
  if (input.cursor !== undefined && input.page !== undefined) {
    faults.push({ code: "CONFLICTING_PARAMETERS", detail: `"page" and "cursor" cannot be combined.`, ...locationOf("cursor") });
  } else if ((page - 1) * perPage >= limits.offset) {
    const detail = `Page ${page} of ${perPage} is beyond the first ${limits.offset} rows.`;
    faults.push({ code: "OFFSET_TOO_LARGE", detail, ...locationOf("page"), hint: "use cursor" });
  }
  return { page, perPage, cursor, count: parseCount(input.count, faults, locationOf) };
}

/** The number that a parameter has if it is missing, and the largest that it may have. */
interface NumberRule {
  readonly fallback: number;
  readonly maximum: number;
}

function parsePositive(name: "page" | "perPage", given: unknown, { fallback, maximum }: NumberRule, faults: Faults, locationOf: LocationOf): number {
  if (given === undefined) return fallback;
  const value = typeof given === "string" ? fromDigits(given) : given;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= maximum) return value;
  const detail = `"${name}" must be a whole number from 1 to ${maximum}; got ${quoteValue(given)}.`;
  faults.push(given === "" ? emptyValue(name, locationOf(name)) : { code: "INVALID_VALUE", detail, ...locationOf(name), maximum });
  return fallback;
}

/** Nine digits. */
const largest = 999_999_999;

/** The number of one to nine digits, or 0. */
function fromDigits(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

function parseCursorText(given: unknown, faults: Faults, locationOf: LocationOf): string | undefined {
  if (given === undefined || (typeof given === "string" && given !== "")) return given;
  const fault = { code: "INVALID_CURSOR", detail: "The cursor must be a string.", ...locationOf("cursor") } as const;
  faults.push(given === "" ? emptyValue("cursor", locationOf("cursor")) : fault);
  return undefined;
}

function parseCount(given: unknown, faults: Faults, locationOf: LocationOf): CountMode {
  if (given === undefined) return "estimated";
  if (isMode(given)) return given;
  const detail = `"count" must be one of exact, estimated, none; got ${quoteValue(given)}.`;
  const fault = { code: "INVALID_VALUE", detail, ...locationOf("count"), allowed: modes } as const;
  faults.push(given === "" ? emptyValue("count", locationOf("count")) : fault);
  return "estimated";
}

function isMode(given: unknown): given is CountMode {
  return (modes as readonly unknown[]).includes(given);
}
