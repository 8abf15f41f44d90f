import type { Dialect } from "./dialect.js";
import type { SqlExecutor } from "./executor.js";
import { postgresDialect } from "./postgresDialect.js";
import { sqliteDialect } from "./sqliteDialect.js";

/** The dialects by the name that an executor gives. */
export const dialects: Readonly<Record<SqlExecutor["dialect"], Dialect>> = { sqlite: sqliteDialect, postgres: postgresDialect };
