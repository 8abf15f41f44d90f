import { formatHeat, formatHeats } from "../tools/raceReport.js";
import type { Summary } from "../tools/statistics.js";
import type { ContestResult } from "./contest.js";

/** The most that a server may take beyond what it has when it is idle; HEAD must be answered in so many milliseconds. */
const bars = { memoryBytes: 64 * 1_048_576, headMs: 100 };

/** For the terminal. @param own whose memory has a bar */
export function formatResult({ title, speedUnit, heats, outcomes }: ContestResult, own: string): string {
  const speeds = outcomes.map(({ name, speed, memoryBytes }) => {
    const verdict = name === own ? ` (bar ${mebibytes(bars.memoryBytes)}) ${memoryBytes > bars.memoryBytes ? "MISSED" : "ok"}` : "";
    return `  ${name.padEnd(44)} ${`${summary(speed)} ${speedUnit}`.padStart(24)}, peak ${mebibytes(memoryBytes)} MiB over idle${verdict}`;
  });
  return [...heats.map(formatHeat), `${title}: speed and memory`, ...speeds].join("\n");
}

/** For `docs/benchmarks.md`. */
export function formatResults(results: readonly ContestResult[]): string {
  return results.map((result) => `${formatHeats(result.heats)}\n\n### ${result.title}: speed and memory\n\n${formatTable(result)}`).join("\n\n");
}

function formatTable({ speedUnit, outcomes }: ContestResult): string {
  const rows = outcomes.map(({ name, speed, memoryBytes }) => `| ${name} | ${summary(speed)} | ${mebibytes(memoryBytes)} |`);
  return [`| | ${speedUnit} | peak over idle, MiB |`, "|---|---|---|", ...rows].join("\n");
}

/** @param place where records and bytes are */
export function formatHeadTimes(place: string, { median, maximum }: Summary): string {
  const verdict = maximum > bars.headMs ? "MISSED" : "ok";
  return `HEAD while a PATCH has stalled, ${place}: median ${median.toFixed(1)} ms, at most ${maximum.toFixed(1)} ms (bar ${bars.headMs}) ${verdict}`;
}

function summary({ median, minimum, maximum }: Summary): string {
  return `${median.toFixed(0)} (${minimum.toFixed(0)}–${maximum.toFixed(0)})`;
}

function mebibytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}
