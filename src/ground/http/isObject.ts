/** Whether a value is an object as JSON has them: not null, not an array, and not a Date, which a row may hold in place of a text. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Whether a value is an object of members, and not an instance of a class. Objects of another realm, such as a worker of Jest, count. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What an object is an instance of, for messages. */
export function instanceName(value: object): string {
  return `a value of the class ${String(value.constructor?.name)}`;
}
