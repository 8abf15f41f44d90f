import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { interrupted } from "./commandError.js";
import { runCommand } from "./runCommand.js";
import type { Terminal } from "./terminal/terminal.js";

/** Runs the tool with the arguments and streams of this process. */
export async function runInProcess(manifest: URL): Promise<void> {
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { readonly version: string };
  const interruption = new AbortController();
  process.on("SIGINT", () => {
    // The second Ctrl-C exits at once.
    if (interruption.signal.aborted) process.exit(interrupted);
    interruption.abort();
  });
  // The reader of the output has closed it, as `head` does.
  process.stdout.on("error", () => process.exit(1));
  const terminal: Terminal = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    variables: process.env,
    version,
    interruption: interruption.signal,
    now: () => performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  };
  const code = await runCommand(process.argv.slice(2), terminal);
  process.exitCode = code;
  // A module of the developer may have started a server or a timer, which would keep the process. What was written is sent first.
  for (const stream of [process.stdout, process.stderr]) await new Promise<void>((resolve) => stream.write("", () => resolve()));
  process.exit(code);
}
