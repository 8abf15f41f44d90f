import { STATUS_CODES } from "node:http";
import type { ProblemDocument, ProblemItem } from "../../src/problem/index.js";
import { printable } from "./printable.js";

type Unsure<T> = { readonly [K in keyof T]?: unknown };

/** An answer that says no. */
export interface RefusedAnswer {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

/** The members of a problem, unsure as whatever comes from elsewhere; `undefined` where the body is none. */
export function readProblem(text: string): Unsure<ProblemDocument> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const longestText = 300;

/** A problem as people read it: what was wrong, then each fault with its place and what is allowed, a line each. */
export function problemText({ url, status, text }: RefusedAnswer): string {
  const problem = readProblem(text);
  const title = `${status} ${textOf(problem?.title) ?? STATUS_CODES[status] ?? "Error"}`;
  if (problem === undefined || (textOf(problem.detail) ?? textOf(problem.code)) === undefined) return `${url.href} answers ${title}${excerpt(text)}.`;
  const { detail, code, requestId } = problem;
  const items = (Array.isArray(problem.errors) ? problem.errors : []).filter((item) => typeof item === "object" && item !== null);
  const [only] = items as readonly Unsure<ProblemItem>[];
  const lines = only !== undefined && items.length === 1 && only.detail === detail ? placeLines(only) : items.flatMap(itemLines);
  return [
    `${title}${textOf(code) === undefined ? "" : ` (${textOf(code)})`}${textOf(detail) === undefined ? "" : `: ${textOf(detail)}`}`,
    ...lines,
    ...(textOf(requestId) === undefined || status < 500 ? [] : [`  request ${textOf(requestId)}`]),
  ].join("\n");
}

/** What is no problem is somebody else's answer: a page of a proxy says less than its status. */
function excerpt(text: string): string {
  return text === "" || text.trimStart().startsWith("<") ? "" : `: ${printable(text.slice(0, longestText))}`;
}

function itemLines(item: Unsure<ProblemItem>): readonly string[] {
  return [`  - ${textOf(item.detail) ?? textOf(item.code) ?? "?"}`, ...placeLines(item).map((line) => `  ${line}`)];
}

function placeLines({ pointer, parameter, header, allowed, maximum, hint, detail }: Unsure<ProblemItem>): readonly string[] {
  const shown = Array.isArray(allowed) && allowed.length > 0 ? allowed.map(String).join(", ") : undefined;
  const isSaid = typeof hint === "string" && typeof detail === "string" && detail.toLowerCase().includes(hint.toLowerCase());
  const parts = Object.entries({ pointer, parameter, header, allowed: shown, maximum, hint: isSaid ? undefined : hint });
  return parts.flatMap(([name, value]) => (textOf(value) === undefined ? [] : [`  ${name}: ${textOf(value)}`]));
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? printable(value) : undefined;
}
