/** The path of a field in a row: `["address", "city"]`. */
export type Path = readonly [string, ...string[]];

/** A value that filters compare fields with. */
export type Scalar = string | number | bigint | boolean | Date | null;

/** The key of a row within its collection. */
export type Id = string | number | bigint;

/** Opaque and unique per write: never a counter of its row. */
export type Version = string;
