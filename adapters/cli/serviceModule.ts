import { readFile } from "node:fs/promises";
import { CommandError } from "./commandError.js";
import { loadModule, messageOf } from "./loadModule.js";

/** What is needed of a service with `openapi()`. */
interface DocumentedService {
  document(of: { readonly principal?: object | undefined; readonly apiVersion?: string | undefined }): Promise<object>;
  close?(): Promise<void>;
}

/** For whom a document is made, and of which version of the API. */
export interface DocumentOf {
  /** Path of a file with the JSON of a principal (default: no credentials). */
  readonly as?: string | undefined;
  readonly apiVersion?: string | undefined;
}

/**
 * The OpenAPI document of the service that a module exports as `service`, or as its default. Closes the service.
 *
 * @throws {CommandError}
 */
export async function documentOfModule(file: string, { as, apiVersion }: DocumentOf): Promise<object> {
  const principal = as === undefined ? undefined : await readPrincipal(as);
  const service = await serviceOf(file);
  try {
    return await service.document({ principal, apiVersion });
  } catch (error) {
    throw new CommandError(`The document cannot be made: ${messageOf(error)}`, { cause: error });
  } finally {
    await service.close?.();
  }
}

async function serviceOf(file: string): Promise<DocumentedService> {
  const { service, default: fallback } = await loadModule(file);
  const found = (service ?? fallback) as (Partial<DocumentedService> & { readonly handle?: unknown }) | null | undefined;
  if (typeof found?.document === "function") return found as DocumentedService;
  if (typeof found?.handle === "function") throw new CommandError(`The service of the module "${file}" has no openapi() in "use".`);
  throw new CommandError(`The module "${file}" does not export "service", what createService() returns with openapi() in "use".`);
}

async function readPrincipal(file: string): Promise<object> {
  const text = await readFile(file, "utf8");
  try {
    const principal: unknown = JSON.parse(text);
    if (typeof principal === "object" && principal !== null && "id" in principal) return principal;
  } catch {
    // Reported below.
  }
  throw new CommandError(`"${file}" is not the JSON of a principal, such as {"id": "ann", "scopes": ["orders"]}.`);
}
