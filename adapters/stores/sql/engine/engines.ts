import { type PlaceOptions, placeOf } from "../schema/place.js";
import type { Dialect } from "./dialect.js";
import { postgresDialect } from "./postgres/postgresDialect.js";
import { sqliteDialect } from "./sqlite/sqliteDialect.js";

/** The engines, by the names that executors call them. Beside its folder, this is all that an engine adds. */
export const dialects = { sqlite: sqliteDialect, postgres: postgresDialect } satisfies Readonly<Record<string, Dialect>>;

/** The name of an engine. */
export type EngineName = keyof typeof dialects;

/** The dialect of an engine for a storage whose tables are at a place of their own. */
export function dialectAt(dialect: Dialect, place: PlaceOptions): Dialect {
  return { ...dialect, place: placeOf(place) };
}
