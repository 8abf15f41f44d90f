import type { Limits } from "../limits/limits.js";
import type { ProblemItem } from "../problem/index.js";
import type { ControlName } from "./table.js";

/** Which part of a list is asked for; the first page is 1. */
export interface Page {
  readonly page: number;
  readonly perPage: number;
}

const positive = /^[1-9]\d{0,8}$/;

/** Reads `page` and `perPage`. More than the maximum is a fault, not a silent cut: a client must never get something other than it asked for. */
export function parsePage(controls: ReadonlyMap<ControlName, string>, limits: Limits, problems: ProblemItem[]): Page {
  const page = parsePositive("page", controls.get("page"), 1, undefined, problems);
  const perPage = parsePositive("perPage", controls.get("perPage"), limits.perPage, limits.perPageMaximum, problems);
  if ((page - 1) * perPage >= limits.offset) {
    const detail = `Page ${page} of ${perPage} lies beyond the first ${limits.offset} rows.`;
    problems.push({ code: "OFFSET_TOO_LARGE", detail, parameter: "page", hint: "narrow the filter" });
  }
  return { page, perPage };
}

function parsePositive(name: string, text: string | undefined, fallback: number, maximum: number | undefined, problems: ProblemItem[]): number {
  if (text === undefined) return fallback;
  const value = positive.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= (maximum ?? value)) return value;
  const range = maximum === undefined ? "of at least 1" : `from 1 to ${maximum}`;
  problems.push({ code: "INVALID_VALUE", detail: `"${name}" must be a whole number ${range}; got "${text.slice(0, 64)}".`, parameter: name });
  return fallback;
}
