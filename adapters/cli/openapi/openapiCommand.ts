import { UsageError } from "../commandError.js";
import { documentChoices, documentOptions } from "../documentOptions.js";
import { openapiHelp } from "../help.js";
import { parseCommandLine } from "../parseCommandLine.js";
import { documentOfModule } from "../serviceModule.js";
import type { Terminal } from "../terminal/terminal.js";
import { writeText } from "../writtenText.js";

/**
 * `restwright openapi`: prints, writes or compares the OpenAPI document of a service.
 *
 * @returns the exit code
 * @throws {CommandError}
 */
export async function openapiCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseCommandLine(args, documentOptions);
  if (values.help === true) {
    terminal.stdout.write(openapiHelp);
    return 0;
  }
  const { written, of } = documentChoices(values);
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new UsageError('Name one module, a JavaScript file that exports "service".');
  const document = await documentOfModule(file, of);
  return writeText(`${JSON.stringify(document, undefined, 2)}\n`, "The document", written, terminal);
}
