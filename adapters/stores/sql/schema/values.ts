/** The members of a row or patch. */
export type Values = Readonly<Record<string, unknown>>;

/** The value at a path; `undefined` if it is missing. Follows own members of objects only. */
export function readPath(values: Values, path: readonly string[]): unknown {
  let value: unknown = values;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return undefined;
    value = (value as Values)[name];
  }
  return value;
}

/** The value of one field; `undefined` if it is missing, also for names that every object inherits. */
export function readField(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
