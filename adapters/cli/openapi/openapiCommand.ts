import { readFile, writeFile } from "node:fs/promises";
import { CommandError, UsageError } from "../commandError.js";
import { openapiHelp } from "../help.js";
import { loadModule, messageOf } from "../loadModule.js";
import { parseCommandLine } from "../parseCommandLine.js";
import type { Terminal } from "../terminal/terminal.js";

/** What is needed of a service with `openapi()`. */
interface DocumentedService {
  document(of: { readonly principal?: object | undefined; readonly apiVersion?: string | undefined }): Promise<object>;
  close?(): Promise<void>;
}

/**
 * `restwright openapi`: prints, writes or compares the OpenAPI document of a service.
 *
 * @returns the exit code
 * @throws {CommandError}
 */
export async function openapiCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseCommandLine(args, {
    out: { type: "string" },
    check: { type: "string" },
    as: { type: "string" },
    "api-version": { type: "string" },
    help: { type: "boolean", short: "h" },
  });
  if (values.help === true) {
    terminal.stdout.write(openapiHelp);
    return 0;
  }
  const { out, check, as, "api-version": apiVersion } = values;
  if (out !== undefined && check !== undefined) throw new UsageError("Name --out or --check, not both.");
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new UsageError('Name one module, a JavaScript file that exports "service".');
  const principal = as === undefined ? undefined : await readPrincipal(as);
  const text = await textOf(await serviceOf(file), { principal, apiVersion });
  if (check !== undefined) return compare(text, check, terminal);
  if (out === undefined) terminal.stdout.write(text);
  else await writeFile(out, text);
  return 0;
}

async function serviceOf(file: string): Promise<DocumentedService> {
  const { service, default: fallback } = await loadModule(file);
  const found = (service ?? fallback) as Partial<DocumentedService> | null | undefined;
  if (typeof found?.document === "function") return found as DocumentedService;
  throw new CommandError(`The module "${file}" does not export "service", what createService() returns with openapi() in "use".`);
}

async function textOf(service: DocumentedService, of: Parameters<DocumentedService["document"]>[0]): Promise<string> {
  try {
    return `${JSON.stringify(await service.document(of), undefined, 2)}\n`;
  } catch (error) {
    throw new CommandError(`The document cannot be made: ${messageOf(error)}`, { cause: error });
  } finally {
    await service.close?.();
  }
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

async function compare(text: string, file: string, terminal: Terminal): Promise<number> {
  const [made, kept] = [text.split("\n"), (await readFile(file, "utf8")).split("\n")];
  const line = made.findIndex((each, index) => each !== kept[index]);
  const first = line === -1 && kept.length > made.length ? made.length : line;
  if (first === -1) return 0;
  terminal.stderr.write(
    `The document differs from "${file}" from line ${first + 1} on:\n- ${kept[first] ?? ""}\n+ ${made[first] ?? ""}\nWrite it with --out ${file}\n`,
  );
  return 1;
}
