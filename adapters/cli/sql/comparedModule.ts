import { CommandError, UsageError } from "../commandError.js";
import { loadModule, messageOf } from "../loadModule.js";

/** How a database differs from the definitions of its tables: statements, what the start refuses in words, and statements that drop what is not defined any more. */
export interface SchemaDifference {
  readonly missing: readonly string[];
  readonly conflicts: readonly string[];
  readonly unused: readonly string[];
}

/** What is needed of a storage with SQL. */
interface ComparingStorage {
  readonly name: string;
  compare?(models: readonly unknown[]): Promise<SchemaDifference>;
  close?(): Promise<void>;
}

/**
 * Compares the database of a module with its collections.
 *
 * @param files the arguments of the command: one JavaScript file that exports "resources" and "storage"
 * @throws {CommandError}
 */
export async function compareModule(files: readonly string[]): Promise<SchemaDifference> {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) throw new UsageError('Name one module, a JavaScript file that exports "resources" and "storage".');
  const { models, storage } = await load(file);
  try {
    return await compared(storage, models);
  } finally {
    await storage.close?.();
  }
}

async function compared(storage: ComparingStorage, models: readonly unknown[]): Promise<SchemaDifference> {
  if (storage.compare === undefined) throw new CommandError(`The storage "${storage.name}" has no tables that SQL creates.`);
  try {
    return await storage.compare(models);
  } catch (error) {
    throw new CommandError(`The database cannot be compared: ${messageOf(error)}`, { cause: error });
  }
}

interface Loaded {
  readonly models: readonly unknown[];
  readonly storage: ComparingStorage;
}

async function load(file: string): Promise<Loaded> {
  const { resources, storage } = await loadModule(file);
  if (!Array.isArray(resources) || !resources.every((each) => typeof each?.model === "object"))
    throw new CommandError(`The module "${file}" does not export "resources", a list of what defineResource() returns.`);
  if (typeof storage !== "object" || storage === null || !("collection" in storage))
    throw new CommandError(`The module "${file}" does not export "storage", such as what postgresStorage() returns.`);
  return { models: resources.map(({ model }) => model), storage: storage as unknown as ComparingStorage };
}
