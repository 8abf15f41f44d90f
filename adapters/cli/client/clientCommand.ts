import { UsageError } from "../commandError.js";
import { documentChoices, documentOptions } from "../documentOptions.js";
import { clientHelp } from "../help.js";
import { parseAddress, parseCommandLine } from "../parseCommandLine.js";
import { readRequestHeaders } from "../request/requestHeaders.js";
import { openSession } from "../request/session.js";
import { type DocumentOf, documentOfModule } from "../serviceModule.js";
import type { Terminal } from "../terminal/terminal.js";
import { writeText } from "../writtenText.js";
import { printDeclaration } from "./printDeclaration.js";
import { checkDocument, fetchDocument, readDocumentFile, type ServiceDocument } from "./readDocument.js";

interface Source extends DocumentOf {
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
    ...documentOptions,
    header: { type: "string", multiple: true },
    token: { type: "string" },
  });
  if (values.help === true) {
    terminal.stdout.write(clientHelp);
    return 0;
  }
  const { written, of } = documentChoices(values);
  const { header: headers = [], token } = values;
  const [place, ...others] = positionals;
  if (place === undefined || others.length > 0) {
    throw new UsageError('Name one source: a JavaScript file that exports "service", or the URL or the file of its OpenAPI document.');
  }
  const document = await documentAt(place, { ...of, headers, token }, terminal);
  return writeText(printDeclaration(document), "The declaration", written, terminal);
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
