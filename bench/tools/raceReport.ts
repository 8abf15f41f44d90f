import { figuresOf, type Race, ratioOf } from "./race.js";
import { type Summary, summarize } from "./statistics.js";

/** Two runners whose ratio is of interest. */
export interface Comparison {
  readonly one: string;
  readonly other: string;
  /** The most that the ratio may be. */
  readonly bar?: number | undefined;
}

/** A race with its name. */
export interface Heat {
  readonly title: string;
  /** Of the figures; µs unless told otherwise. */
  readonly unit?: string | undefined;
  readonly figures: Race;
  readonly comparisons: readonly Comparison[];
}

/** For the terminal. */
export function formatHeat({ title, unit = "µs", figures, comparisons }: Heat): string {
  const lines = [...figures].map(([name, values]) => `  ${name.padEnd(44)} ${`${formatSummary(summarize(values))} ${unit}`.padStart(24)}`);
  const ratios = comparisons.map((comparison) => {
    const ratio = ratioOf(figures, comparison.one, comparison.other);
    return `  ${`${comparison.one} ÷ ${comparison.other}`.padEnd(44)} ${`${formatSummary(ratio)} ×`.padStart(24)}${verdict(ratio, comparison.bar)}`;
  });
  return [title, ...lines, ...ratios].join("\n");
}

/** For `docs/benchmarks.md`: a table a heat, with every ratio beside the runner that it is taken against. */
export function formatHeats(heats: readonly Heat[]): string {
  return heats.map((heat) => `### ${heat.title}\n\n${formatTable(heat)}`).join("\n\n");
}

function formatTable({ unit = "µs", figures, comparisons }: Heat): string {
  const rows = [...figures.keys()].map((name) => {
    const against = comparisons.filter(({ other }) => other === name);
    const ratios = against.map(({ one, bar }) => {
      const ratio = ratioOf(figures, one, name);
      const mark = isMissed(ratio, bar) ? "**" : "";
      return `${one}: ${mark}${ratio.median.toFixed(2)}${mark}`;
    });
    const bars = against.flatMap(({ bar }) => bar?.toFixed(2) ?? []);
    return `| ${[name, formatSummary(summarize(figuresOf(figures, name))), ratios.join(", "), bars.join(", ")].join(" | ")} |`;
  });
  return [`| | ${unit} | in terms of it | bar |`, "|---|---|---|---|", ...rows].join("\n");
}

export function formatSummary({ median, minimum, maximum }: Summary): string {
  return `${median.toFixed(2)} (${minimum.toFixed(2)}–${maximum.toFixed(2)})`;
}

function verdict(ratio: Summary, bar: number | undefined): string {
  return bar === undefined ? "" : ` (bar ${bar.toFixed(2)}) ${isMissed(ratio, bar) ? "MISSED" : "ok"}`;
}

function isMissed({ median }: Summary, bar: number | undefined): boolean {
  return bar !== undefined && median > bar;
}
