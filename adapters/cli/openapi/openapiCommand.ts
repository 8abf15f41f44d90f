import { UsageError } from "../commandError.js";
import { openapiHelp } from "../help.js";
import { parseCommandLine } from "../parseCommandLine.js";
import { documentOfModule } from "../serviceModule.js";
import type { Terminal } from "../terminal/terminal.js";
import { checkWrittenTo, writeText } from "../writtenText.js";

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
  checkWrittenTo({ out, check });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new UsageError('Name one module, a JavaScript file that exports "service".');
  const document = await documentOfModule(file, { as, apiVersion });
  return writeText(`${JSON.stringify(document, undefined, 2)}\n`, "The document", { out, check }, terminal);
}
