import { UsageError } from "../commandError.js";
import { clientHelp } from "../help.js";
import { parseAddress, parseCommandLine } from "../parseCommandLine.js";
import { readRequestHeaders } from "../request/requestHeaders.js";
import { openSession } from "../request/session.js";
import { documentOfModule } from "../serviceModule.js";
import type { Terminal } from "../terminal/terminal.js";
import { checkWrittenTo, writeText } from "../writtenText.js";
import { printDeclaration } from "./printDeclaration.js";
import { checkDocument, fetchDocument, readDocumentFile, type ServiceDocument } from "./readDocument.js";

interface Source {
  readonly as: string | undefined;
  readonly apiVersion: string | undefined;
  readonly headers: readonly string[];
  readonly token: string | undefined;
}

/**
 * `restwright client`: prints, writes or compares the declaration file that `createClient<Api>()` takes.
 *
 * @returns the exit code
 * @throws {CommandError}
 */
export async function clientCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseCommandLine(args, {
    out: { type: "string" },
    check: { type: "string" },
    as: { type: "string" },
    "api-version": { type: "string" },
    header: { type: "string", multiple: true },
    token: { type: "string" },
    help: { type: "boolean", short: "h" },
  });
  if (values.help === true) {
    terminal.stdout.write(clientHelp);
    return 0;
  }
  const { out, check, as, "api-version": apiVersion, header: headers = [], token } = values;
  checkWrittenTo({ out, check });
  const [place, ...others] = positionals;
  if (place === undefined || others.length > 0) {
    throw new UsageError('Name one source: a JavaScript file that exports "service", or the URL or the file of its OpenAPI document.');
  }
  const document = await documentAt(place, { as, apiVersion, headers, token }, terminal);
  return writeText(printDeclaration(document), "The declaration", { out, check }, terminal);
}

async function documentAt(place: string, { as, apiVersion, headers, token }: Source, terminal: Terminal): Promise<ServiceDocument> {
  const isAddress = /^https?:/i.test(place);
  const isModule = !isAddress && !/\.json$/i.test(place);
  if (!isModule && (as !== undefined || apiVersion !== undefined)) {
    throw new UsageError("--as and --api-version are for a module; a server takes --token and --header 'X-API-Version: v1'.");
  }
  if (!isAddress && (headers.length > 0 || token !== undefined)) throw new UsageError("--header and --token are for a URL.");
  if (isModule) return checkDocument(await documentOfModule(place, { as, apiVersion }), place);
  if (!isAddress) return readDocumentFile(place);
  const url = parseAddress(place, "The source");
  const session = { quiet: true, waits: false, headers: readRequestHeaders(headers, token ?? terminal.variables["RESTWRIGHT_TOKEN"]) };
  return fetchDocument(openSession(session, url, terminal), url);
}
