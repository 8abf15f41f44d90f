import { CommandError } from "../commandError.js";
import { diffHelp, sqlHelp } from "../help.js";
import { parseCommandLine } from "../parseCommandLine.js";
import type { Terminal } from "../terminal/terminal.js";
import { compareModule } from "./comparedModule.js";

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
  const { missing, conflicts } = await compareModule(positionals);
  if (conflicts.length > 0) throw new CommandError(`The database cannot be migrated:\n${conflicts.join("\n")}`);
  terminal.stdout.write(missing.length === 0 ? "-- The database lacks nothing.\n" : statementsOf(missing));
  return 0;
}

/** The exit code of a comparison that found a difference. */
const different = 2;

/**
 * `restwright diff`: prints how the database and the definitions differ, in both directions.
 *
 * @returns the exit code
 * @throws {CommandError}
 */
export async function diffCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseCommandLine(args, { help: { type: "boolean", short: "h" } });
  if (values.help === true) {
    terminal.stdout.write(diffHelp);
    return 0;
  }
  const { missing, conflicts, unused } = await compareModule(positionals);
  const parts = [
    ...part("Missing in the database. The next start of the service creates it.", statementsOf(missing)),
    ...part("In conflict with the definitions. The service does not start.", commented(conflicts.map((text) => `${text}\n`).join(""))),
    ...part("Not defined any more. No command runs these statements, and they lose data.", commented(statementsOf(unused))),
  ];
  terminal.stdout.write(parts.length === 0 ? "-- The database and the definitions do not differ.\n" : parts.join("\n"));
  return parts.length === 0 ? 0 : different;
}

function part(title: string, text: string): readonly string[] {
  return text === "" ? [] : [`-- ${title}\n${text}`];
}

function statementsOf(statements: readonly string[]): string {
  return statements.map((text) => `${text};\n`).join("");
}

function commented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "-- ");
}
