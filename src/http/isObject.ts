/** Whether a value is an object as JSON has them: not null, not an array, and not a Date, which a row may hold in place of a text. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
