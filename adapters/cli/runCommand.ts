import { CommandError, Interrupted, UsageError } from "./commandError.js";
import { exportCommand } from "./exportCommand.js";
import { mainHelp } from "./help.js";
import { importCommand } from "./importCommand.js";
import type { Terminal } from "./terminal.js";

/** Begins a line of its own, whatever stands on the last one: CSI 2 K of ECMA-48. */
const freshLine = "\r\u001b[2K";

/**
 * Runs the tool.
 *
 * @param args as typed, behind the name of the tool
 * @returns the exit code
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  try {
    if (name === "import") return await importCommand(rest, terminal);
    if (name === "export") return await exportCommand(rest, terminal);
    if (name === "--version" || name === "-v") terminal.stdout.write(`${terminal.version}\n`);
    else if (name === "--help" || name === "-h" || name === "help") terminal.stdout.write(mainHelp);
    else throw new UsageError(name === undefined ? "Say what to do: import or export." : `There is no "${name}"; there are import and export.`);
    return 0;
  } catch (error) {
    if (!(error instanceof CommandError) && !isSystemError(error)) throw error;
    const help = `Try: restwright ${name === "import" || name === "export" ? `${name} ` : ""}--help`;
    const lines = [error.message, ...(error instanceof UsageError ? [help] : [])];
    terminal.stderr.write(`${terminal.stderr.isTTY === true ? freshLine : ""}${lines.join("\n")}\n`);
    return error instanceof Interrupted || error instanceof CommandError ? error.exitCode : 1;
  }
}

/** Errors of files and pipes say what was wrong with which. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error && "code" in error;
}
