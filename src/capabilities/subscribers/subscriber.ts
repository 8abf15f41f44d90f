import { callable, listOf, oneOf, optionsCheck, passing, strict, whole } from "../../ground/options/index.js";
import { closest } from "../../ground/problem/closest.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { quoteValue } from "../../ground/problem/quote.js";
import { compileEventPatterns, type EventMatcher, matchEvent, maxPatterns } from "../events/matchEvent.js";
import type { EventHandler } from "./api.js";
import type { SubscriberOptions } from "./options.js";

/** A subscriber with its options resolved. */
export interface Subscriber {
  /** In the storage; of one of this process alone with the id of the process. */
  readonly name: string;
  /** Whether each process that has it handles each event. */
  readonly isOfProcess: boolean;
  readonly onMissed: SubscriberOptions["onMissed"];
  readonly patterns: readonly string[];
  readonly matches: EventMatcher;
  /** The delay before each attempt, in milliseconds; as many as there are attempts. */
  readonly scheduleMs: readonly number[];
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly leaseMs: number;
  readonly onDead: SubscriberOptions["onDead"];
  readonly handler: EventHandler;
}

/** What the options of `subscribers()` and the service say for all of them. */
export interface SubscriberDefaults {
  readonly scheduleMs: readonly number[];
  /** The lease that was asked for, if any. */
  readonly leaseMs: number | undefined;
  /** The event types of the service. */
  readonly types: readonly string[];
  /** Tells this process from others. */
  readonly processId: string;
}

const dayMs = 86_400_000;
const nameForm = /^[A-Za-z0-9._-]{1,100}$/;
const maxAttempts = 100;
const defaultConcurrency = 5;
const defaultTimeoutMs = 30_000;
/** A lease must not end while its attempt is recorded. */
const minMarginMs = 5_000;
const marginMs = 45_000;

/** The delays of a schedule. */
export const schedule = () =>
  passing(
    `an array of milliseconds with an entry for each attempt: 1 to ${maxAttempts} whole numbers from 0 to ${dayMs}`,
    (value) => listOf(whole(0, dayMs), "", 1).safeParse(value).success && (value as readonly number[]).length <= maxAttempts,
  );

const checkOptions = /* @__PURE__ */ optionsCheck("on", () =>
  strict<SubscriberOptions>(
    {
      name: passing('letters, digits, ".", "_" and "-", at most 100 characters', (value) => typeof value === "string" && nameForm.test(value)),
      each: oneOf("process"),
      onMissed: callable(),
      attempts: whole(1, maxAttempts),
      scheduleMs: schedule(),
      concurrency: whole(1, 1_000),
      timeoutMs: whole(1, dayMs),
      onDead: callable(),
    },
    ["name"],
  ),
);

/**
 * Checks the arguments of `service.on`.
 *
 * @throws {ConfigurationError} for a type that does not exist, an unknown option or an invalid value
 */
export function subscriberOf(
  given: string | readonly string[],
  options: SubscriberOptions,
  handler: EventHandler,
  defaults: SubscriberDefaults,
): Subscriber {
  checkOptions(options);
  const { name, attempts, concurrency = defaultConcurrency, timeoutMs = defaultTimeoutMs, onDead, each, onMissed } = options;
  if (onMissed !== undefined && each === undefined)
    throw new ConfigurationError(`on: "onMissed" of "${name}" needs each: "process"; other subscribers miss nothing.`);
  if (typeof handler !== "function") throw new ConfigurationError(`on: the handler of "${name}" must be a function; got ${quoteValue(handler)}.`);
  const scheduleMs = options.scheduleMs ?? defaults.scheduleMs;
  const count = attempts ?? scheduleMs.length;
  const { leaseMs = timeoutMs + marginMs } = defaults;
  if (leaseMs < timeoutMs + minMarginMs) {
    throw new ConfigurationError(
      `on: "timeoutMs" of "${name}" is ${timeoutMs}; with "leaseMs: ${leaseMs}" of subscribers() at most ${leaseMs - minMarginMs} is allowed, so that a lease outlives its attempt.`,
    );
  }
  const patterns = patternsOf(given, name, defaults.types);
  return {
    // No name that a developer gives has this character.
    name: each === undefined ? name : `${name}~${defaults.processId}`,
    ...{ isOfProcess: each !== undefined, onMissed, patterns, matches: compileEventPatterns(patterns) },
    scheduleMs: Array.from({ length: count }, (_, index) => scheduleMs[index] ?? (scheduleMs.at(-1) as number)),
    ...{ concurrency, timeoutMs, leaseMs, onDead, handler },
  };
}

function patternsOf(given: string | readonly string[], name: string, types: readonly string[]): readonly string[] {
  const patterns: readonly string[] = typeof given === "string" ? [given] : given;
  if (!Array.isArray(patterns) || patterns.length === 0 || patterns.length > maxPatterns) {
    throw new ConfigurationError(`on: the types of "${name}" must be an event type, or an array of 1 to ${maxPatterns}; got ${quoteValue(given)}.`);
  }
  for (const pattern of patterns) checkPattern(pattern, name, types);
  return [...new Set(patterns)];
}

function checkPattern(pattern: string, name: string, types: readonly string[]): void {
  let isKnown: boolean;
  try {
    // An invalid pattern is refused even if there are no types.
    isKnown = [...types, "any.type"].filter((type) => matchEvent(pattern, type) && types.includes(type)).length > 0;
  } catch (cause) {
    throw new ConfigurationError(`on: ${quoteValue(pattern)} of "${name}" is not an event type, nor a pattern such as "order.*".`, { cause });
  }
  if (isKnown) return;
  const near = closest(pattern, types);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  const all = types.length === 0 ? "The service has none" : `There are: ${types.join(", ")}`;
  throw new ConfigurationError(`on: no event type of the service matches "${pattern}" of "${name}".${hint} ${all}.`);
}
