const brand = Symbol.for("restwright.ConfigurationError");

/**
 * Makes the error for a wrong argument: a TypeError that names it and is also an instance of ConfigurationError. Values are never repeated: they may be secrets.
 *
 * @param expected what is allowed, to follow "must be"
 */
export function argumentError(name: string, expected: string, given: unknown, cause?: unknown): TypeError {
  const error = new TypeError(`"${name}" must be ${expected}; got ${kindOf(given)}.`, cause === undefined ? {} : { cause });
  return Object.assign(error, { [brand]: true });
}

/** @throws {TypeError} if the argument is not a string */
export function requireText(name: string, value: unknown): asserts value is string {
  if (typeof value !== "string") throw argumentError(name, "a text", value);
}

/** @throws {TypeError} if the argument is not an array of strings */
export function requireTexts(name: string, value: unknown): asserts value is readonly string[] {
  if (!Array.isArray(value)) throw argumentError(name, "an array of texts", value);
  for (const [index, each] of value.entries()) requireText(`${name}[${index}]`, each);
}

/** @throws {TypeError} if the argument is not a finite number of at least `min` */
export function requireNumber(name: string, value: unknown, min = Number.NEGATIVE_INFINITY): asserts value is number {
  const range = min === Number.NEGATIVE_INFINITY ? "" : ` of at least ${min}`;
  if (typeof value !== "number" || !Number.isFinite(value) || value < min) throw argumentError(name, `a finite number${range}`, value);
}

/** @throws {TypeError} if the argument is neither a string nor bytes */
export function requireBytes(name: string, value: unknown): asserts value is string | Uint8Array {
  if (typeof value !== "string" && !(value instanceof Uint8Array)) throw argumentError(name, "a text or bytes, as received", value);
}

/**
 * Reads members of an argument, each once.
 *
 * @throws {TypeError} if the argument is not an object, or its members cannot be read
 */
export function readMembers<Value extends object>(name: string, value: Value, members: readonly (keyof Value & string)[]): Value {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw argumentError(name, "an object", value);
  return reading(name, value, () => Object.fromEntries(members.map((member) => [member, value[member]])) as Value);
}

/** Runs a function that reads from an argument. @throws {TypeError} instead of what its getters throw */
export function reading<Result>(name: string, value: unknown, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw argumentError(name, "an object whose members can be read", value, cause);
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === "number") return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
