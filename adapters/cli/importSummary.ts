import { formatCount } from "./formatAmount.js";
import type { Job } from "./job.js";
import { printable } from "./printable.js";

/** How many rows of an import came to what. */
export interface Outcome {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
}

const none: Outcome = { created: 0, updated: 0, skipped: 0, failed: 0 };

/** What an import that has ended says of its rows. */
export function outcomeOf({ result }: Job): Outcome {
  const numbers = Object.keys(none).map((name) => [name, Number(result?.[name] ?? 0)] as const);
  return { ...none, ...Object.fromEntries(numbers) };
}

/** 0 where all rows are imported, 2 where some have failed, 1 where the import has. */
export function exitCodeOf(job: Job): number {
  if (job.status !== "completed") return 1;
  return outcomeOf(job).failed > 0 ? 2 : 0;
}

/** An import that has ended, in a sentence or two. */
export function importSummary(job: Job, { name, isDryRun }: { readonly name: string; readonly isDryRun: boolean }): string {
  const { error, status } = job;
  if (status === "completed") return isDryRun ? `Tried ${name}: ${counts(job)}. Nothing was kept.` : `Imported ${name}: ${counts(job)}.`;
  const at = error?.row === undefined ? "" : ` at row ${formatCount(error.row)}`;
  const why = error === null ? "" : `: ${error.code}${at}${error.detail === undefined ? "" : `. ${printable(error.detail)}`}`;
  return `The import of ${name} has failed${why}\nUntil then: ${counts(job)}.`;
}

function counts(job: Job): string {
  const parts = Object.entries(outcomeOf(job)).flatMap(([name, count]) => (count > 0 ? [`${formatCount(count)} ${name}`] : []));
  return parts.length === 0 ? "no rows" : parts.join(", ");
}
