import { isEventType, typeCharacters, typeSegment } from "../../engine/operation/eventType.js";
import { argumentError, readMembers, requireTexts } from "../../ground/problem/argument.js";
import { type ProblemItem, problemOf } from "../../ground/problem/index.js";

/** The most patterns of one webhook. */
export const maxPatterns = 100;

/** The most types that a message lists; `allowed` contains all of them. */
const namedTypes = 20;

/** Whether a webhook subscribes to an event type. */
export type EventMatcher = (type: string) => boolean;

interface PatternRules {
  /** The existing types; a pattern that matches none of them is rejected. */
  readonly known?: readonly string[] | undefined;
}

/**
 * Whether a pattern matches an event type: `*` alone matches all types, a `*` at the end one or more segments, any other `*` exactly one.
 *
 * @throws {ProblemError} VALIDATION_FAILED for an invalid pattern
 * @throws {TypeError} for an invalid event type
 * @example
 * matchEvent("order.*", "order.item.added"); // true; "order" itself and "orders.created" are not matched
 */
export function matchEvent(pattern: string, type: string): boolean {
  const fault = patternFault(pattern, "/events");
  if (fault !== undefined) throw problemOf("VALIDATION_FAILED", [fault]);
  requireType(type);
  return matches(pattern, pattern.split("."), type, type.split("."));
}

/**
 * Compiles all patterns of a webhook into one matcher.
 *
 * @throws {ProblemError} VALIDATION_FAILED for an empty list, more than 100 patterns, or an invalid one; UNKNOWN_EVENT for a pattern without a known type
 */
export function compileEventPatterns(patterns: readonly string[], rules: PatternRules = {}): EventMatcher {
  const { known } = readMembers("rules", rules, ["known"]);
  if (known !== undefined) requireTexts("known", known);
  checkPatterns(patterns, known);
  const exact = new Set(patterns.filter((pattern) => !pattern.includes("*")));
  const wild = patterns.filter((pattern) => pattern.includes("*")).map((pattern) => ({ pattern, segments: pattern.split(".") }));
  return (type) => {
    requireType(type);
    if (exact.has(type)) return true;
    const segments = type.split(".");
    return wild.some((each) => matches(each.pattern, each.segments, type, segments));
  };
}

function requireType(type: unknown): asserts type is string {
  if (!isEventType(type as string)) throw argumentError("type", `the type of an event, such as "order.created"`, type);
}

function matches(pattern: string, segments: readonly string[], type: string, typeSegments: readonly string[]): boolean {
  if (pattern === "*" || pattern === type) return true;
  const isOpen = segments.at(-1) === "*";
  if (isOpen ? typeSegments.length < segments.length : typeSegments.length !== segments.length) return false;
  return segments.every((segment, index) => segment === "*" || segment === typeSegments[index]);
}

function checkPatterns(patterns: readonly string[], known: readonly string[] | undefined): void {
  if (!Array.isArray(patterns) || patterns.length === 0 || patterns.length > maxPatterns) {
    const detail = `"events" must be a list of 1 to ${maxPatterns} event types or patterns.`;
    throw problemOf("VALIDATION_FAILED", [{ code: "VALIDATION_FAILED", detail, pointer: "/events" }]);
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
