import { UsageError } from "../commandError.js";
import { parseCommandLine } from "../parseCommandLine.js";

/** A SQLite file, or a PostgreSQL database and the schemas whose tables are described; no schemas mean those of the search path. */
export type IntrospectSource = { readonly file: string } | { readonly connectionString: string; readonly schemas: readonly string[] };

/** The command line of an introspection. */
export interface IntrospectOptions {
  readonly source: IntrospectSource;
  /** Tables that are described; empty for all. */
  readonly tables: readonly string[];
}

const definition = {
  schema: { type: "string", multiple: true },
  table: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * Parses the command line of an introspection; returns `help` for `--help`. The address of a PostgreSQL database is in the environment, since other users of the machine see arguments.
 *
 * @throws {UsageError}
 */
export function parseIntrospectOptions(args: readonly string[], variables: Readonly<Record<string, string | undefined>>): IntrospectOptions | "help" {
  const { values, positionals } = parseCommandLine(args, definition);
  if (values.help === true) return "help";
  const [file, ...others] = positionals;
  if (file !== undefined && /^postgres(?:ql)?:/i.test(file)) {
    throw new UsageError("The address of a database is not an argument, because other users of the machine can see it; set DATABASE_URL.");
  }
  if (others.length > 0) throw new UsageError("Name one SQLite file, or none for the PostgreSQL database in DATABASE_URL.");
  if (file !== undefined && values.schema !== undefined) throw new UsageError("--schema is for PostgreSQL; a SQLite file has no schemas.");
  return { source: file === undefined ? postgresSource(variables["DATABASE_URL"], values.schema) : { file }, tables: values.table ?? [] };
}

function postgresSource(connectionString = "", schemas: readonly string[] = []): IntrospectSource {
  if (/^postgres(?:ql)?:\/\//i.test(connectionString)) return { connectionString, schemas };
  throw new UsageError("Name a SQLite file, or set DATABASE_URL to the address of a PostgreSQL database, such as postgres://localhost/shop.");
}
