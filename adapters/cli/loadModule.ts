import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CommandError } from "./commandError.js";

/** What a module of the developer exports. @throws {CommandError} if it cannot be loaded */
export async function loadModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new CommandError(`The module "${file}" cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
