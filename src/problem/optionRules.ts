import { ConfigurationError } from "./configuration.js";

/**
 * An object with options, and none that there are not: a name that is misspelled would leave its default in force, and nobody would know.
 *
 * @param place where they stand, as `uploads.forms.avatars`
 * @throws {ConfigurationError}
 */
export function requireOptions(place: string, options: unknown, known: Readonly<Record<string, true>>): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new ConfigurationError(`"${place}" must be an object with options; got ${shown(options)}.`);
  }
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) throw new ConfigurationError(`"${place}" has no option "${unknown}"; there are: ${names.join(", ")}.`);
}

/** @throws {ConfigurationError} */
export function wholeNumber(place: string, value: number, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new ConfigurationError(`"${place}" must be a whole number ${range}; got ${shown(value)}.`);
}

/**
 * Options that are all limits, each a whole number of at least 1 where it is given.
 *
 * @throws {ConfigurationError}
 */
export function requireLimits(place: string, limits: object, known: Readonly<Record<string, true>>): void {
  requireOptions(place, limits, known);
  for (const [name, limit] of Object.entries(limits)) if (limit !== undefined) wholeNumber(`${place}.${name}`, limit, 1);
}

/** @throws {ConfigurationError} */
export function oneOf<const T>(place: string, value: T, allowed: readonly T[]): T {
  if (allowed.includes(value)) return value;
  throw new ConfigurationError(`"${place}" must be ${allowed.map(shown).join(" or ")}; got ${shown(value)}.`);
}

/** @throws {ConfigurationError} */
export function functionOrNone<T>(place: string, value: T): T {
  if (value === undefined || typeof value === "function") return value;
  throw new ConfigurationError(`"${place}" must be a function; got ${shown(value)}.`);
}

/** @throws {ConfigurationError} */
export function listOfTexts(place: string, value: readonly string[], otherwise = ""): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw new ConfigurationError(`"${place}" must be an array of texts${otherwise}; got ${shown(value)}.`);
}

/** A value in a message: short, and of objects nothing that could be secret. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 64));
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
