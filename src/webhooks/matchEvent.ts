import { typeCharacters, typeSegment } from "../operation/eventType.js";
import { ProblemError, type ProblemItem, problemOf } from "../problem/index.js";

/** Most patterns of one webhook. */
export const maximumPatterns = 100;

/** Types that a message names; the whole list stands in `allowed`. */
const namedTypes = 20;

/** Says of an event type whether a webhook wants it. */
export type EventMatcher = (type: string) => boolean;

interface PatternRules {
  /** Types that exist; a pattern that matches none of them is then refused. */
  readonly known?: readonly string[] | undefined;
}

/**
 * Whether a pattern matches an event type: `*` alone matches all, a last `*` one segment or more, any other `*` exactly one.
 *
 * @throws {ProblemError} VALIDATION_FAILED for what is no pattern
 * @example
 * matchEvent("order.*", "order.item.added"); // true; "order" itself and "orders.created" are not matched
 */
export function matchEvent(pattern: string, type: string): boolean {
  const fault = patternFault(pattern, "/events");
  if (fault !== undefined) throw problemOf("VALIDATION_FAILED", [fault]);
  return matches(pattern, pattern.split("."), type, type.split("."));
}

/**
 * One matcher for all the patterns of a webhook.
 *
 * @throws {ProblemError} VALIDATION_FAILED for no pattern, more than 100, or what is no pattern; UNKNOWN_EVENT for one that no known type matches
 */
export function compileEventPatterns(patterns: readonly string[], { known }: PatternRules = {}): EventMatcher {
  checkPatterns(patterns, known);
  const exact = new Set(patterns.filter((pattern) => !pattern.includes("*")));
  const wild = patterns.filter((pattern) => pattern.includes("*")).map((pattern) => ({ pattern, segments: pattern.split(".") }));
  return (type) => {
    if (exact.has(type)) return true;
    const segments = type.split(".");
    return wild.some((each) => matches(each.pattern, each.segments, type, segments));
  };
}

function matches(pattern: string, segments: readonly string[], type: string, typeSegments: readonly string[]): boolean {
  if (pattern === "*" || pattern === type) return true;
  const isOpen = segments.at(-1) === "*";
  if (isOpen ? typeSegments.length < segments.length : typeSegments.length !== segments.length) return false;
  return segments.every((segment, index) => segment === "*" || segment === typeSegments[index]);
}

function checkPatterns(patterns: readonly string[], known: readonly string[] | undefined): void {
  if (!Array.isArray(patterns) || patterns.length === 0 || patterns.length > maximumPatterns) {
    const detail = `"events" must be a list of 1 to ${maximumPatterns} event types or patterns.`;
    throw new ProblemError("VALIDATION_FAILED", detail, { errors: [{ code: "VALIDATION_FAILED", detail, pointer: "/events" }] });
  }
  const faults: ProblemItem[] = [];
  for (const [index, pattern] of patterns.entries()) {
    const fault = patternFault(pattern, `/events/${index}`) ?? unknownFault(pattern, `/events/${index}`, known);
    if (fault !== undefined) faults.push(fault);
  }
  if (faults.length > 0) throw problemOf(faults.every(({ code }) => code === "UNKNOWN_EVENT") ? "UNKNOWN_EVENT" : "VALIDATION_FAILED", faults);
}

function patternFault(pattern: unknown, pointer: string): ProblemItem | undefined {
  const isPattern =
    typeof pattern === "string" &&
    pattern.length <= typeCharacters &&
    pattern.split(".").every((segment) => segment === "*" || typeSegment.test(segment));
  if (isPattern) return undefined;
  const detail = `A pattern is segments of letters, digits and "_" with dots between them, any of which may be "*"; at most ${typeCharacters} characters.`;
  return { code: "VALIDATION_FAILED", detail, pointer };
}

function unknownFault(pattern: string, pointer: string, known: readonly string[] | undefined): ProblemItem | undefined {
  const segments = pattern.split(".");
  if (known === undefined || known.some((type) => matches(pattern, segments, type, type.split(".")))) return undefined;
  const some = known.length > namedTypes ? `${known.slice(0, namedTypes).join(", ")}, …` : known.join(", ");
  return { code: "UNKNOWN_EVENT", detail: `No event matches "${pattern}"; known: ${some}.`, pointer, allowed: known };
}
