import type { z } from "zod";
import { ConfigurationError } from "../problem/index.js";
import { quoteValue } from "../problem/quote.js";

/** Checks the options of one call. @throws {ConfigurationError} */
export type CheckOptions = (options: unknown, place?: string) => void;

/**
 * Makes the check of one options object, for callers in JavaScript too. It refuses an unknown name, a wrong type or a value out of range, and says the nearest name
 * and what is allowed. The schema is built by the first call.
 *
 * @param where the function that takes the options, e.g. `createService`
 * @example
 * const check = optionsCheck("fetchHandler", () => strict<FetchOptions>({ mount: text() }));
 */
export function optionsCheck(where: string, schemaOf: () => z.ZodType): CheckOptions {
  let schema: z.ZodType | undefined;
  return (options, place = where) => {
    schema ??= schemaOf();
    const { error } = schema.safeParse(options, { jitless: true });
    if (error === undefined) return;
    const issue = deepest(error.issues);
    throw new ConfigurationError(issue === undefined ? `${place}: the options are invalid.` : sentence(place, options, issue));
  };
}

interface Issue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
}

/** A misspelled name is reported first: it is often why another is missing. Among alternatives, the one whose top level matches is reported. */
function deepest(issues: readonly Issue[]): Issue | undefined {
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (issue?.errors === undefined) return issue;
  const inner = deepest(issue.errors.flat().filter(({ code, path }) => path.length > 0 || code === "unrecognized_keys"));
  return inner === undefined ? issue : { ...inner, path: [...issue.path, ...inner.path] };
}

function sentence(place: string, options: unknown, { code, path, message }: Issue): string {
  const name = path.reduce<string>((text, step) => text + (typeof step === "number" ? `[${step}]` : `${text && "."}${String(step)}`), "");
  const subject = name === "" ? place : `${place}: "${name}"`;
  if (code === "unrecognized_keys") return `${subject} ${message}`;
  let value = options;
  for (const step of path) value = (value as Readonly<Record<PropertyKey, unknown>>)[step];
  return `${subject} must be ${message}; got ${typeof value === "string" && secretName.test(name) ? "a text" : quoteValue(value)}.`;
}

/** The values of these options are never repeated. */
const secretName = /secret|password|token|key(?!prefix)|credential/i;
