import { dialects } from "../../stores/sql/engine/engines.js";
import type { SqlExecutor } from "../../stores/sql/engine/executor.js";
import { postgresExecutor } from "../../stores/sql/engine/postgres/postgresExecutor.js";
import { readPostgresCatalogs } from "../../stores/sql/mapped/postgres/readCatalog.js";
import { CommandError } from "../commandError.js";
import { introspectHelp } from "../help.js";
import type { Terminal } from "../terminal/terminal.js";
import { describeTables, type FoundTable } from "./describeTables.js";
import { fieldType } from "./fieldType.js";
import { type IntrospectSource, parseIntrospectOptions } from "./introspectOptions.js";
import { listTables } from "./listTables.js";
import { printModule } from "./printModule.js";
import { readSqliteTables } from "./readSqliteTables.js";
import { sqliteFieldType } from "./sqliteFieldType.js";

type PostgresSource = Exclude<IntrospectSource, { readonly file: string }>;

/**
 * `restwright introspect`: prints the collections of the tables of a database as TypeScript.
 *
 * @returns the exit code
 * @throws {CommandError}
 */
export async function introspectCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseIntrospectOptions(args, terminal.variables);
  if (options === "help") {
    terminal.stdout.write(introspectHelp);
    return 0;
  }
  const { source, tables } = options;
  const isFile = "file" in source;
  const found = await reading(() => (isFile ? readSqliteTables(source.file, tables) : readPostgresTables(source, tables)));
  const hint = isFile ? "" : "; --schema names further schemas";
  const missing = tables.filter((name) => !found.some(({ table }) => table.name === name));
  if (missing.length > 0) throw new CommandError(`There is no table or view ${missing.map((name) => `"${name}"`).join(", ")}${hint}.`);
  if (found.length === 0) throw new CommandError(`There are no tables${hint}.`);
  terminal.stdout.write(printModule(describeTables(found, isFile ? sqliteFieldType : fieldType)));
  return 0;
}

async function reading(read: () => Promise<readonly FoundTable[]>): Promise<readonly FoundTable[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The database cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** Reads one snapshot of the catalogue. */
async function readPostgresTables({ connectionString, schemas }: PostgresSource, tables: readonly string[]): Promise<readonly FoundTable[]> {
  const executor = postgresExecutor({ connectionString, poolSize: 1 });
  try {
    return await executor.transaction((tx) => readFrom(tx, schemas, tables), { readOnly: true, isolation: "snapshot" });
  } finally {
    await executor.close?.();
  }
}

async function readFrom(executor: SqlExecutor, schemas: readonly string[], tables: readonly string[]): Promise<readonly FoundTable[]> {
  const session = { executor, dialect: dialects.postgres, inTransaction: true, readOnly: true };
  const listed = await listTables(session, schemas, tables);
  const catalogs = await readPostgresCatalogs(session, listed);
  return listed.flatMap((table, index) => {
    const catalog = catalogs[index];
    return catalog === undefined ? [] : [{ table, catalog }];
  });
}

/** The message of a driver names the user and the host, never the password. An address that cannot be parsed is not repeated. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ERR_INVALID_URL") return "DATABASE_URL is not an address.";
  const cause = error.cause instanceof Error && error.cause.message !== "" ? error.cause : error;
  return cause instanceof AggregateError ? cause.errors.map(reasonOf).join("; ") : cause.message || cause.name;
}
