/** The generators that fit a field's type. */
export type GeneratorFor<T> = [T] extends [number | bigint]
  ? "increment" | "database" | "code"
  : [T] extends [Date]
    ? "createdAt" | "updatedAt" | "database" | "code"
    : [T] extends [string]
      ? "ulid" | "uuid" | "createdAt" | "updatedAt" | "database" | "code"
      : "database" | "code";

/**
 * - `database`: the engine fills the column of a `table`, by a default, an identity, a generated column or a trigger.
 * - `code`: a hook, the effect `create` or the column of the tenant fills it. A new row without it is a fault (500), unless the field may be missing or has a default.
 */
export type Generator = "increment" | "ulid" | "uuid" | "createdAt" | "updatedAt" | "database" | "code";

/** Whether only the server sets a field: it has a generator, or is read-only, as stamped ones are. Calls from code may set read-only ones: for them they are not. */
export function isMade({ generator, readOnly }: { readonly generator?: Generator | undefined; readonly readOnly: boolean }): boolean {
  return generator !== undefined || readOnly;
}
