import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CommandError, UsageError } from "../commandError.js";
import { sqlHelp } from "../help.js";
import { parseCommandLine } from "../parseCommandLine.js";
import type { Terminal } from "../terminal/terminal.js";

/** What is needed of a storage with SQL. */
interface PlanningStorage {
  readonly name: string;
  plan?(models: readonly unknown[]): Promise<readonly string[]>;
  close?(): Promise<void>;
}

/**
 * `restwright sql`: prints the statements that the storage would run at its start.
 *
 * @returns the exit code
 * @throws {CommandError}
 */
export async function sqlCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseCommandLine(args, { help: { type: "boolean", short: "h" } });
  if (values.help === true) {
    terminal.stdout.write(sqlHelp);
    return 0;
  }
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new UsageError('Name one module, a JavaScript file that exports "resources" and "storage".');
  const { models, storage } = await load(file);
  try {
    const statements = await planned(storage, models);
    terminal.stdout.write(statements.length === 0 ? "-- The database lacks nothing.\n" : statements.map((text) => `${text};\n`).join(""));
    return 0;
  } finally {
    await storage.close?.();
  }
}

async function planned(storage: PlanningStorage, models: readonly unknown[]): Promise<readonly string[]> {
  if (storage.plan === undefined) throw new CommandError(`The storage "${storage.name}" has no tables that SQL creates.`);
  try {
    return await storage.plan(models);
  } catch (error) {
    throw new CommandError(`The database cannot be compared: ${messageOf(error)}`, { cause: error });
  }
}

interface Loaded {
  readonly models: readonly unknown[];
  readonly storage: PlanningStorage;
}

async function load(file: string): Promise<Loaded> {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new CommandError(`The module "${file}" cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
  const { resources, storage } = exported;
  if (!Array.isArray(resources) || !resources.every((each) => typeof each?.model === "object"))
    throw new CommandError(`The module "${file}" does not export "resources", a list of what defineResource() returns.`);
  if (typeof storage !== "object" || storage === null || !("collection" in storage))
    throw new CommandError(`The module "${file}" does not export "storage", such as what postgresStorage() returns.`);
  return { models: resources.map(({ model }) => model), storage: storage as unknown as PlanningStorage };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
