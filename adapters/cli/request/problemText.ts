import { STATUS_CODES } from "node:http";
import type { ProblemDocument, ProblemItem } from "../../../src/ground/problem/index.js";
import { printable } from "../terminal/printable.js";

type Untrusted<T> = { readonly [K in keyof T]?: unknown };

/** A response with a status of 400 or above. */
export interface ErrorResponse {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

/** The members of a problem, of unknown type since a server sent them; `undefined` if the body is not a JSON object. */
export function readProblem(text: string): Untrusted<ProblemDocument> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const maxExcerptLength = 300;

/** A problem as text: its title and detail, then a line for each error, with its location and the allowed values. */
export function problemText({ url, status, text }: ErrorResponse): string {
  const problem = readProblem(text);
  const title = `${status} ${textOf(problem?.title) ?? STATUS_CODES[status] ?? "Error"}`;
  if (problem === undefined || (textOf(problem.detail) ?? textOf(problem.code)) === undefined)
    return `${url.href} answers ${title}${excerptOf(text)}.`;
  const { detail, code, requestId } = problem;
  const items = (Array.isArray(problem.errors) ? problem.errors : []).filter((item) => typeof item === "object" && item !== null);
  const [only] = items as readonly Untrusted<ProblemItem>[];
  const lines = only !== undefined && items.length === 1 && only.detail === detail ? placeLines(only) : items.flatMap(itemLines);
  return [
    `${title}${textOf(code) === undefined ? "" : ` (${textOf(code)})`}${textOf(detail) === undefined ? "" : `: ${textOf(detail)}`}`,
    ...lines,
    ...(textOf(requestId) === undefined || status < 500 ? [] : [`  request ${textOf(requestId)}`]),
  ].join("\n");
}

/** The beginning of a body that is not a problem. HTML, such as the error page of a proxy, is left out. */
function excerptOf(text: string): string {
  return text === "" || text.trimStart().startsWith("<") ? "" : `: ${printable(text.slice(0, maxExcerptLength))}`;
}

function itemLines(item: Untrusted<ProblemItem>): readonly string[] {
  return [`  - ${textOf(item.detail) ?? textOf(item.code) ?? "?"}`, ...placeLines(item).map((line) => `  ${line}`)];
}

function placeLines({ pointer, parameter, header, allowed, maximum, hint, detail }: Untrusted<ProblemItem>): readonly string[] {
  const shown = Array.isArray(allowed) && allowed.length > 0 ? allowed.map(String).join(", ") : undefined;
  const isRepeated = typeof hint === "string" && typeof detail === "string" && detail.toLowerCase().includes(hint.toLowerCase());
  const parts = Object.entries({ pointer, parameter, header, allowed: shown, maximum, hint: isRepeated ? undefined : hint });
  return parts.flatMap(([name, value]) => (textOf(value) === undefined ? [] : [`  ${name}: ${textOf(value)}`]));
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? printable(value) : undefined;
}
