import { cpus, totalmem } from "node:os";
import type { Measured } from "../requests/measure.js";
import type { Host, Store } from "./serverOptions.js";
import type { Summary } from "./statistics.js";

/** One line of the results. */
export interface Result extends Measured {
  readonly host: Host;
  readonly store: Store;
  readonly workload: string;
  readonly bar: number;
}

/** Where and when a run took place. */
export function describeRun(now: Date) {
  const [processor] = cpus();
  return {
    date: now.toISOString().slice(0, 10),
    node: process.versions.node,
    machine: `${cpus().length} × ${processor?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  };
}

/** A line for the terminal, as soon as it is known. */
export function formatLine({ host, store, workload, restwright, floor, ratio, bar }: Result): string {
  const verdict = ratio <= bar ? "ok" : "MISSED";
  const cells = [`${host}/${store}`.padEnd(17), workload.padEnd(8), microseconds(restwright).padStart(17), microseconds(floor).padStart(17)];
  return `${cells.join(" ")}  ${ratio.toFixed(2).padStart(5)} × (bar ${bar.toFixed(2)}) ${verdict}`;
}

/** A table a pair, for `docs/benchmarks.md`. */
export function formatMarkdown(results: readonly Result[], run: ReturnType<typeof describeRun>): string {
  const titles = new Set(results.map(titleOf));
  const sections = [...titles].map((title) => `### ${title}\n\n${formatTable(results.filter((result) => titleOf(result) === title))}`);
  return [`${run.date}, Node ${run.node}, ${run.machine}.`, ...sections].join("\n\n");
}

function titleOf({ host, store }: Result): string {
  return `${host}, ${store}`;
}

function formatTable(lines: readonly Result[]): string {
  const rows = lines.map(({ workload, restwright, floor, ratio, bar }) =>
    [
      workload,
      microseconds(restwright),
      microseconds(floor),
      `${ratio <= bar ? "" : "**"}${ratio.toFixed(2)}${ratio <= bar ? "" : "**"}`,
      bar.toFixed(2),
    ].join(" | "),
  );
  return ["| workload | restwright, µs | by hand, µs | ratio | bar |", "|---|---|---|---|---|", ...rows.map((row) => `| ${row} |`)].join("\n");
}

function microseconds({ median, minimum, maximum }: Summary): string {
  return `${median.toFixed(0)} (${minimum.toFixed(0)}–${maximum.toFixed(0)})`;
}
