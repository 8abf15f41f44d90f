import { z } from "zod";
import { closest } from "../problem/closest.js";

/** A schema for each option of an interface, so that the two stay in step. */
export type Shape<T> = { readonly [K in keyof T]-?: z.ZodType };

/**
 * An object with these options and no others. Each may be left out or `undefined`.
 *
 * @param required the options that must be present
 */
export function strict<T extends object>(shape: Shape<T>, required: readonly (keyof T)[] = []): z.ZodObject {
  const names = Object.keys(shape);
  const members = Object.entries<z.ZodType>(shape).map(([name, schema]) => [name, required.includes(name as keyof T) ? schema : schema.optional()]);
  return z.strictObject(Object.fromEntries(members), {
    error: (issue) => (issue.code === "unrecognized_keys" ? unknownName(issue.keys[0] ?? "", names) : "an object with options"),
  });
}

function unknownName(name: string, names: readonly string[]): string {
  const near = closest(name, names);
  const hint = near === undefined ? "there" : `did you mean "${near}"? There`;
  return `has no option "${name.slice(0, 64)}"; ${hint} ${names.length === 1 ? "is" : "are"}: ${names.join(", ")}.`;
}

/** A whole number. */
export function whole(min: number, max = Number.MAX_SAFE_INTEGER): z.ZodType {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return z.custom((value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max, `a whole number ${range}`);
}

export const text = (what = "a text"): z.ZodType => z.string(what);

export const flag = (): z.ZodType => z.boolean("true or false");

export const callable = (): z.ZodType => z.custom((value) => typeof value === "function", "a function");

export function oneOf(...allowed: readonly (string | number | boolean)[]): z.ZodType {
  return z.literal(allowed, allowed.map((value) => JSON.stringify(value)).join(" or "));
}

export const listOf = (member: z.ZodType, what: string, min = 0): z.ZodType => z.array(member, what).min(min, what);

export const texts = (): z.ZodType => listOf(text(), "an array of texts");

/** An object whose names the developer chooses. */
export const named = (member: z.ZodType, what = "an object"): z.ZodType => z.record(z.string(), member.optional(), what);

/** The first schema that accepts the value. */
export const either = (what: string, ...alternatives: readonly [z.ZodType, z.ZodType, ...z.ZodType[]]): z.ZodType => z.union(alternatives, what);

/** Options, or `false` to disable the feature. */
export const orFalse = (options: z.ZodType): z.ZodType => either("false, or an object with options", z.literal(false), options);

/** Any value that passes the test. */
export const passing = (what: string, test: (value: unknown) => boolean): z.ZodType => z.custom(test, what);

/** An object that implements an interface, recognised by some of its methods. */
export function having(what: string, ...methods: readonly string[]): z.ZodType {
  return passing(what, (value) => {
    const members = value as Readonly<Record<string, unknown>> | null | undefined;
    return methods.every((method) => typeof members?.[method] === "function");
  });
}

export const timers = (): z.ZodType => having("timers, an object with setTimeout", "setTimeout");

export const clock = (): z.ZodType => having("a clock, an object with now", "now");
