import { clientCommand } from "./client/clientCommand.js";
import { CommandError, interrupted, UsageError } from "./commandError.js";
import { exportCommand } from "./export/exportCommand.js";
import { mainHelp } from "./help.js";
import { importCommand } from "./import/importCommand.js";
import { openapiCommand } from "./openapi/openapiCommand.js";
import { diffCommand, sqlCommand } from "./sql/sqlCommand.js";
import { printableLines } from "./terminal/printable.js";
import type { Terminal } from "./terminal/terminal.js";

/** Erases the progress line: carriage return, and CSI 2 K of ECMA-48. */
const freshLine = "\r\u001b[2K";

/**
 * Runs the tool.
 *
 * @param args the arguments after the name of the tool
 * @returns the exit code
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const code = await exitCodeOf(args, terminal);
  // A command that was interrupted exits with 130, even if it has cancelled its import properly.
  return code === 1 && terminal.interruption.aborted ? interrupted : code;
}

async function exitCodeOf([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (name === "import") return await importCommand(rest, terminal);
    if (name === "export") return await exportCommand(rest, terminal);
    if (name === "introspect") return await introspect(rest, terminal);
    if (name === "sql") return await sqlCommand(rest, terminal);
    if (name === "diff") return await diffCommand(rest, terminal);
    if (name === "init") return await init(rest, terminal);
    if (name === "openapi") return await openapiCommand(rest, terminal);
    if (name === "client") return await clientCommand(rest, terminal);
    if (name === "--version" || name === "-v") terminal.stdout.write(`${terminal.version}\n`);
    else if (name === "--help" || name === "-h" || name === "help") terminal.stdout.write(mainHelp);
    else
      throw new UsageError(
        name === undefined
          ? "Name a command: init, import, export, introspect, sql, diff, openapi or client."
          : `Unknown command "${name}"; allowed: ${commands.join(", ")}.`,
      );
    return 0;
  } catch (error) {
    if (!(error instanceof CommandError) && !isSystemError(error)) throw error;
    const help = `Try: restwright ${commands.includes(name ?? "") ? `${name} ` : ""}--help`;
    const lines = [error.message, ...(error instanceof UsageError ? [help] : [])];
    terminal.stderr.write(`${terminal.stderr.isTTY === true ? freshLine : ""}${printableLines(lines.join("\n"))}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

const commands: readonly string[] = ["init", "import", "export", "introspect", "sql", "diff", "openapi", "client"];

/** Loaded when it is asked for, since it brings the texts of a project with it. */
async function init(args: readonly string[], terminal: Terminal): Promise<number> {
  const { initCommand } = await import("./init/initCommand.js");
  return initCommand(args, terminal);
}

/** Loaded when it is asked for, since it brings the stores of SQL with it. */
async function introspect(args: readonly string[], terminal: Terminal): Promise<number> {
  const { introspectCommand } = await import("./introspect/introspectCommand.js");
  return introspectCommand(args, terminal);
}

/** Errors of files and pipes have a clear message, so that no stack is printed. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error && "code" in error;
}
