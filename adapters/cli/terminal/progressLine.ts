import { formatBytes, formatCount, formatSeconds } from "./formatAmount.js";

/** The progress of a transfer or a job. */
export interface Progress {
  /** `Sending`, `Importing` … */
  readonly label: string;
  readonly unit: "rows" | "bytes";
  readonly done: number;
  /** `undefined` while it is unknown. */
  readonly total?: number | undefined;
  /** 0 to 1, if it is not `done` divided by `total`. */
  readonly fraction?: number | undefined;
  readonly perSecond?: number | undefined;
}

const maxBarColumns = 30;
const minBarColumns = 8;

/** The progress as one line of at most so many columns, with a bar if there is room for one. */
export function progressBar(progress: Progress, columns: number): string {
  const { label, done } = progress;
  const fraction = fractionOf(progress);
  if (fraction === undefined) return `${label}  ${[amount(progress, done), ...pace(progress)].join("  ")}`.slice(0, columns);
  const figures = [percent(fraction), amounts(progress), ...pace(progress)].join("  ");
  const width = Math.min(maxBarColumns, columns - label.length - figures.length - 4);
  if (width < minBarColumns) return `${label}  ${figures}`.slice(0, columns);
  const filled = Math.floor(fraction * width);
  return `${label} [${"#".repeat(filled)}${".".repeat(width - filled)}] ${figures}`;
}

/** The progress as a sentence, for logs. */
export function progressSentence(progress: Progress): string {
  const fraction = fractionOf(progress);
  const figures = fraction === undefined ? [amount(progress, progress.done)] : [percent(fraction), amounts(progress)];
  return `${progress.label}: ${[...figures, ...pace(progress)].join(", ")}`;
}

function fractionOf({ fraction, done, total }: Progress): number | undefined {
  const part = fraction ?? (total === undefined || total <= 0 ? undefined : done / total);
  return part === undefined ? undefined : Math.max(0, Math.min(1, part));
}

function percent(fraction: number): string {
  return `${Math.floor(fraction * 100)} %`;
}

function amount({ unit }: Progress, count: number): string {
  return unit === "bytes" ? formatBytes(count) : `${formatCount(count)} rows`;
}

function amounts(progress: Progress): string {
  const { unit, done, total } = progress;
  if (total === undefined) return amount(progress, done);
  return `${unit === "bytes" ? formatBytes(done) : formatCount(done)} of ${amount(progress, total)}`;
}

function pace(progress: Progress): readonly string[] {
  const { perSecond, unit, total, done } = progress;
  if (perSecond === undefined) return [];
  const rate = `${unit === "bytes" ? formatBytes(perSecond) : `${formatCount(perSecond)} rows`}/s`;
  const fraction = fractionOf(progress);
  if (total === undefined || fraction === undefined || fraction >= 1) return [rate];
  const left = total - done;
  return left <= 0 ? [rate] : [rate, `${formatSeconds(left / perSecond)} left`];
}
