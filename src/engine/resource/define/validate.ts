import * as zod from "zod";
import { pointer } from "../../../ground/http/pointer.js";
import { systemTimers, type Timers } from "../../../ground/http/timers.js";
import { whenReady } from "../../../ground/http/whenReady.js";
import { maxItems, type ProblemItem } from "../../../ground/problem/problem.js";
import type { Validate, Validation } from "../resource.js";
import { unknownMember } from "../write/unknownMembers.js";

/** `z.compile` exists since zod 4.4; an older zod validates the same, but slower. */
const compile = (zod as { compile?: <T extends zod.core.$ZodType>(schema: T) => T }).compile ?? (<T>(schema: T) => schema);

/** How long an asynchronous validation of one value may take: a promise that never settles must not block its request for ever. */
const maxValidationMs = 30_000;

/**
 * A validation function of a zod type, compiled on first use.
 *
 * A schema with functions of the developer may be asynchronous. It is run as such, and returns at once if it was not. Trying it synchronously first would
 * run its effects twice, and leave a promise that may reject.
 */
export function compileValidate(schema: zod.core.$ZodType, timers: Timers = systemTimers): Validate {
  let run: ((value: unknown) => Result | Promise<Result>) | undefined;
  return (value, path = []) => {
    run ??= mayBeAsync(schema) ? (input) => runAsync(schema, input, timers) : synchronous(schema);
    return whenReady(run(value), (result) => toValidation(result, path));
  };
}

function synchronous(schema: zod.core.$ZodType): (value: unknown) => Result {
  const compiled = compile(schema);
  return (value) => zod.safeParse(compiled, value);
}

/** `safeParseAsync` would wait a turn for every value, even if the schema is synchronous. */
function runAsync(schema: zod.core.$ZodType, value: unknown, timers: Timers): Result | Promise<Result> {
  const payload = schema._zod.run({ value, issues: [] }, { async: true });
  return payload instanceof Promise ? bounded(payload.then(resultOf), timers) : resultOf(payload);
}

function resultOf({ value, issues }: zod.core.ParsePayload): Result {
  if (issues.length === 0) return { success: true, data: value };
  return {
    success: false,
    error: new zod.core.$ZodRealError(issues.map((issue) => zod.core.util.finalizeIssue(issue, undefined, zod.core.config()))),
  };
}

function bounded<T>(work: Promise<T>, timers: Timers): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`The schema did not finish validating within ${maxValidationMs} ms.`));
    const timer = timers.setTimeout(late, maxValidationMs);
    void work.then(resolve, reject).finally(() => timer.cancel());
  });
}

type Result = { success: true; data: unknown } | { success: false; error: zod.core.$ZodError };

function toValidation(result: Result, path: readonly (string | number)[]): Validation {
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, items: result.error.issues.flatMap((issue) => toItems(issue, path)).slice(0, maxItems) };
}

/** A fault of zod, or the faults of the members that no alternative of a union declares. */
function toItems(issue: zod.core.$ZodIssue, path: readonly (string | number)[]): ProblemItem[] {
  const undeclared = undeclaredOf(issue);
  return undeclared === undefined ? [toItem(issue, path)] : undeclared.map((each) => unknownMember([...path, ...each], []));
}

/** Where members stand that no type declares, of the alternative that declares most; `undefined` if anything else is wrong too. */
function undeclaredOf(issue: zod.core.$ZodIssue): (string | number)[][] | undefined {
  const at = stepsOf(issue);
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => [...at, key]);
  if (issue.code !== "invalid_union") return undefined;
  const alternatives = issue.errors.flatMap((issues) => {
    const found = issues.map(undeclaredOf);
    return found.length > 0 && found.every((each) => each !== undefined) ? [found.flat()] : [];
  });
  return alternatives.sort((left, right) => left.length - right.length)[0]?.map((each) => [...at, ...each]);
}

function stepsOf({ path }: zod.core.$ZodIssue): (string | number)[] {
  return path.map((step) => (typeof step === "symbol" ? String(step) : step));
}

function toItem(issue: zod.core.$ZodIssue, path: readonly (string | number)[]): ProblemItem {
  const where = pointer([...path, ...stepsOf(issue)]);
  const allowed = issue.code === "invalid_value" ? { allowed: issue.values.map(String) } : {};
  return { code: "INVALID_VALUE", detail: describe(issue), pointer: where, ...allowed };
}

/** The messages of zod, except for members that are missing, types that JSON does not have, and regular expressions, which are not shown to clients. */
function describe(issue: zod.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) return `Required; expected ${issue.expected}.`;
  const isDateTime = issue.code === "invalid_type" ? issue.expected === "date" : issue.message === "Invalid ISO datetime";
  if (isDateTime) return "Must be a date-time with T and Z or an offset, no finer than its field keeps it.";
  // A message of the developer's stays.
  if (issue.message.startsWith("Invalid input: expected bigint")) return "Must be an integer from -2^63 to 2^63 - 1, as text.";
  if (issue.code === "invalid_format" && issue.message.includes("must match pattern")) return "Does not have the required format.";
  return issue.message;
}

/** Values that are computed on access: reading them would run functions of the developer. */
const made: ReadonlySet<string> = new Set(["defaultValue", "catchValue"]);

/** Whether a schema contains functions of the developer that may return a promise: transforms, refinements, codecs, custom types. */
function mayBeAsync(schema: zod.core.$ZodType): boolean {
  const seen = new Set<unknown>();
  const visit = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null || seen.has(value)) return false;
    seen.add(value);
    if (Array.isArray(value)) return value.some(visit);
    if ("_zod" in value) return visitDefinition((value as zod.core.$ZodType)._zod.def);
    return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).some(visit);
  };
  const visitDefinition = (definition: object): boolean => {
    const { type, check, transform, getter } = definition as Readonly<Record<string, unknown>>;
    if (type === "transform" || type === "promise" || type === "custom" || check === "custom" || typeof transform === "function") return true;
    if (type === "lazy" && typeof getter === "function" && visit(getter())) return true;
    return Object.keys(definition).some((key) => !made.has(key) && visit((definition as Readonly<Record<string, unknown>>)[key]));
  };
  return visit(schema);
}
