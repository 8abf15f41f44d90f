import { Display } from "./display.js";
import { exportByJob } from "./exportJob.js";
import { type ExportOptions, parseExportOptions } from "./exportOptions.js";
import { fetchWhole } from "./fetchWhole.js";
import { formatBytes, formatCount } from "./formatAmount.js";
import { exportHelp } from "./help.js";
import { type Output, openFileOutput, streamOutput } from "./output.js";
import type { Session } from "./session.js";
import type { Terminal } from "./terminal.js";

/**
 * `restwright export`: has a file written, or asks for the stream of a collection, and puts it where the user wants it.
 *
 * @returns the exit code
 * @throws {CommandError}
 */
export async function exportCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseExportOptions(args, terminal.variables);
  if (options === "help") {
    terminal.stdout.write(exportHelp);
    return 0;
  }
  const { from, source, out, quiet, headers } = options;
  const session: Session = {
    terminal,
    display: new Display(terminal, { isQuiet: quiet }),
    origin: from.origin,
    headers,
    signal: terminal.interruption,
  };
  if (source === "stream") {
    const bytes = await into(options, terminal, async (output) =>
      fetchWhole(session, streamUrl(options), { accept: "*/*", label: "Fetching" }, await output()),
    );
    session.display.note(`Wrote ${nameOf(out)}: ${formatBytes(bytes)}.`);
    return 0;
  }
  const job = await into(options, terminal, (output) => exportByJob(session, options, output));
  const { rows, bytes } = job.result ?? {};
  session.display.note(`Wrote ${nameOf(out)}: ${formatCount(Number(rows))} rows, ${formatBytes(Number(bytes))}.`);
  if (options.json) terminal.stdout.write(`${JSON.stringify(job)}\n`);
  return 0;
}

function streamUrl({ from, request }: ExportOptions): URL {
  const url = new URL(from);
  for (const [name, value] of Object.entries(request)) url.searchParams.set(name, String(value));
  return url;
}

function nameOf(out: string): string {
  return out === "-" ? "to standard output" : out;
}

/** Begins the output when there is something to put into it. What was not fetched whole leaves nothing. */
async function into<Result>({ out }: ExportOptions, terminal: Terminal, work: (output: () => Promise<Output>) => Promise<Result>): Promise<Result> {
  let begun: Output | undefined;
  try {
    const result = await work(async () => {
      begun ??= out === "-" ? streamOutput(terminal.stdout) : await openFileOutput(out);
      return begun;
    });
    await begun?.commit();
    return result;
  } finally {
    await begun?.discard();
  }
}
