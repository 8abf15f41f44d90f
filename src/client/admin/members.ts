/** The members of a row, or of what a form has. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a value has members by name. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date) && !(value instanceof Blob);
}
