/** The generators that fit a field's type. */
export type GeneratorFor<T> = [T] extends [number | bigint]
  ? "increment" | "database"
  : [T] extends [Date]
    ? "createdAt" | "updatedAt" | "database"
    : [T] extends [string]
      ? "ulid" | "uuid" | "createdAt" | "updatedAt" | "database"
      : "database";

/** `database`: the engine fills the column of a `table`, by a default, an identity, a generated column or a trigger. */
export type Generator = "increment" | "ulid" | "uuid" | "createdAt" | "updatedAt" | "database";
