import { UsageError } from "../commandError.js";
import { parseCommandLine } from "../parseCommandLine.js";

/** The command line of an introspection. */
export interface IntrospectOptions {
  readonly connectionString: string;
  /** Schemas whose tables are described; empty for those of the search path. */
  readonly schemas: readonly string[];
  /** Tables that are described; empty for all. */
  readonly tables: readonly string[];
}

const definition = {
  schema: { type: "string", multiple: true },
  table: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * Parses the command line of an introspection; returns `help` for `--help`. The address of the database is in the environment, since other users of the machine see arguments.
 *
 * @throws {UsageError}
 */
export function parseIntrospectOptions(args: readonly string[], variables: Readonly<Record<string, string | undefined>>): IntrospectOptions | "help" {
  const { values, positionals } = parseCommandLine(args, definition);
  if (values.help === true) return "help";
  const [given] = positionals;
  if (given !== undefined && /^postgres(?:ql)?:/i.test(given)) {
    throw new UsageError("The address of a database is not an argument, because other users of the machine can see it; set DATABASE_URL.");
  }
  if (given !== undefined) throw new UsageError("An introspection takes options only; it reads PostgreSQL, at the address in DATABASE_URL.");
  const connectionString = variables["DATABASE_URL"] ?? "";
  if (!/^postgres(?:ql)?:\/\//i.test(connectionString)) {
    throw new UsageError("DATABASE_URL must be the address of a PostgreSQL database, such as postgres://localhost/shop.");
  }
  return { connectionString, schemas: values.schema ?? [], tables: values.table ?? [] };
}
