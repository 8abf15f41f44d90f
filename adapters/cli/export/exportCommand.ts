import { exportHelp } from "../help.js";
import { type Output, openFileOutput, requireWritable, streamOutput } from "../output.js";
import { fetchWhole } from "../request/fetchWhole.js";
import { openSession } from "../request/session.js";
import { formatBytes, formatCount } from "../terminal/formatAmount.js";
import { jsonLine } from "../terminal/printable.js";
import type { Terminal } from "../terminal/terminal.js";
import { exportByJob } from "./exportJob.js";
import { type ExportOptions, parseExportOptions } from "./exportOptions.js";

/**
 * `restwright export`: creates an export or requests the stream of a collection, and saves the file.
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
  const { from, source, out } = options;
  if (out !== "-") await requireWritable(out, "--out");
  const session = openSession(options, from, terminal);
  if (source === "stream") {
    const bytes = await withOutput(options, terminal, async (output) =>
      fetchWhole(session, streamUrl(options), { accept: "*/*", label: "Fetching" }, await output()),
    );
    session.display.note(`Wrote ${nameOf(out)}: ${formatBytes(bytes)}.`);
    return 0;
  }
  const job = await withOutput(options, terminal, (output) => exportByJob(session, options, output));
  const { rows, bytes } = job.result ?? {};
  session.display.note(`Wrote ${nameOf(out)}: ${formatCount(Number(rows))} rows, ${formatBytes(Number(bytes))}.`);
  if (options.json) terminal.stdout.write(jsonLine(job));
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

/** Opens the output when the work first asks for it. If the work fails, the output is discarded. */
async function withOutput<Result>(
  { out }: ExportOptions,
  terminal: Terminal,
  work: (output: () => Promise<Output>) => Promise<Result>,
): Promise<Result> {
  let opened: Output | undefined;
  try {
    const result = await work(async () => {
      opened ??= out === "-" ? streamOutput(terminal.stdout) : await openFileOutput(out);
      return opened;
    });
    await opened?.commit();
    return result;
  } finally {
    await opened?.discard();
  }
}
