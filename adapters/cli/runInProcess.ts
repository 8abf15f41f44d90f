import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { interrupted } from "./commandError.js";
import { runCommand } from "./runCommand.js";
import type { Terminal } from "./terminal/terminal.js";

/** The signals that end a command in an orderly way, so that no temporary file stays; with the exit codes of shells: 128 plus the number. */
const endSignals = [
  ["SIGINT", interrupted],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

/** Time that a command has to end after SIGTERM or SIGHUP. */
const endMs = 3_000;

/** Runs the tool with the arguments and streams of this process. */
export async function runInProcess(manifest: URL): Promise<void> {
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { readonly version: string };
  const interruption = new AbortController();
  let endCode = interrupted;
  for (const [signal, code] of endSignals) {
    process.on(signal, () => {
      // The second Ctrl-C exits at once.
      if (interruption.signal.aborted) process.exit(code);
      endCode = code;
      interruption.abort();
      // A service manager kills after its own time limit, and a module of the developer may keep running.
      if (signal !== "SIGINT") setTimeout(() => process.exit(code), endMs).unref();
    });
  }
  // The reader of the output has closed it, as `head` does.
  process.stdout.on("error", () => process.exit(1));
  // A closed standard error, as by `2>&1 | head`, does not end the command.
  process.stderr.on("error", () => undefined);
  const terminal: Terminal = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    variables: process.env,
    version,
    packageFolder: fileURLToPath(new URL(".", manifest)),
    interruption: interruption.signal,
    now: () => performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  };
  const ended = await runCommand(process.argv.slice(2), terminal);
  const code = ended === interrupted ? endCode : ended;
  process.exitCode = code;
  // A module of the developer may have started a server or a timer, which would keep the process. What was written is sent first.
  for (const stream of [process.stdout, process.stderr]) await new Promise<void>((resolve) => stream.write("", () => resolve()));
  process.exit(code);
}
