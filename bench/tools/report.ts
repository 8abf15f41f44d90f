import { cpus, totalmem } from "node:os";
import type { Bars } from "../requests/bars.js";
import type { Compared, Measured } from "../requests/measure.js";
import type { Host, Store } from "./serverOptions.js";
import type { Summary } from "./statistics.js";

/** One line of the results. */
export interface Result extends Measured {
  readonly host: Host;
  readonly store: Store;
  readonly workload: string;
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

/**
 * Lines for the terminal, as soon as they are known: CPU time of the process; with that of the database, if it is known; latencies.
 *
 * @example
 * formatResult(result, { node: 1.05 })
 * // fastify/memory    get           51 (40–70)        39 (33–41)   1.31 × (bar 1.05) MISSED
 * //                   p50       320 (300–340)     250 (240–270)   1.28 ×
 */
export function formatResult({ host, store, workload, node, together, p50, p99 }: Result, bars: Bars): string {
  const lines = [
    formatLine(`${host}/${store}`, workload, node, bars.node),
    ...(together === undefined ? [] : [formatLine("", "with db", together, bars.together)]),
    ...(p50 === undefined ? [] : [formatLine("", "p50", p50)]),
    ...(p99 === undefined ? [] : [formatLine("", "p99", p99)]),
  ];
  return lines.join("\n");
}

function formatLine(pair: string, name: string, { restwright, floor, ratio }: Compared, bar?: number): string {
  const cells = [pair.padEnd(17), name.padEnd(8), formatMicroseconds(restwright).padStart(17), formatMicroseconds(floor).padStart(17)];
  const verdict = bar === undefined ? "" : ` (bar ${bar.toFixed(2)}) ${ratio <= bar ? "ok" : "MISSED"}`;
  return `${cells.join(" ")}  ${ratio.toFixed(2).padStart(5)} ×${verdict}`;
}

/** The median, and the range in brackets. */
export function formatMicroseconds({ median, minimum, maximum }: Summary): string {
  return `${median.toFixed(0)} (${minimum.toFixed(0)}–${maximum.toFixed(0)})`;
}
