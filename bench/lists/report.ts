import type { MeasuredCase } from "./measureCases.js";

/** The cases at one number of rows. */
export interface Measurement {
  readonly size: number;
  readonly cases: readonly MeasuredCase[];
}

/** A line for the terminal. */
export function formatCase(store: string, size: number, { list, count, page, time, ratio, bar }: MeasuredCase): string {
  const figure = `${milliseconds(time.median)} (${milliseconds(time.minimum)}–${milliseconds(time.maximum)}) ms`;
  const verdict = bar === undefined ? "" : ` (bar ${bar.toFixed(2)}) ${ratio <= bar ? "ok" : "MISSED"}`;
  const cells = [store.padEnd(8), String(size).padStart(7), list.padEnd(19), count.padEnd(13), page.padEnd(12), figure.padStart(26)];
  return `${cells.join(" ")}  ${ratio.toFixed(2).padStart(6)} ×${verdict}`;
}

/** A table for `docs/benchmarks.md`: a column for each number of rows, the ratio to the first page in brackets. */
export function formatTable(store: string, measurements: readonly Measurement[]): string {
  const [most] = measurements.slice(-1);
  const sizes = measurements.map(({ size }) => size.toLocaleString("en"));
  const head = [`### ${store}`, "", `| list | count | page | ${sizes.join(" | ")} |`, `|---|---|---|${"---|".repeat(sizes.length)}`];
  const rows = (most?.cases ?? []).map(({ list, count, page }, index) => {
    const cells = measurements.map(({ cases }) => formatCell(cases[index]));
    return `| ${[`\`${list}\``, count, page, ...cells].join(" | ")} |`;
  });
  return [...head, ...rows].join("\n");
}

function formatCell(measured: MeasuredCase | undefined): string {
  if (measured === undefined) return "";
  const { time, ratio, bar } = measured;
  const mark = bar !== undefined && ratio > bar ? "**" : "";
  return `${milliseconds(time.median)} (${mark}${ratio.toFixed(2)}${mark})`;
}

function milliseconds(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}
