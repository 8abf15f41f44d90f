import type { SqlExecutor, SqlStatement } from "../engine/executor.js";
import type { Counted } from "./counting.js";

/** Lists that clients request again and again, such as the pages of one search, are few. */
const maxCounts = 100;
/** Longest cached key, in characters: conditions come from the client. */
const maxKey = 4_096;

interface Counts {
  /** The mark before the first of the counts was made. */
  mark: string;
  readonly byStatement: Map<string, Counted>;
}

const countsOf = new WeakMap<SqlExecutor, Counts>();

/**
 * The result of a count, from the cache if nothing was committed since it was made. A page costs SQLite 50 µs, and the count of all its rows often more.
 *
 * @param count runs the statement. What is committed after the mark was read, and before or during the count, leaves a mark that no later call has.
 */
export async function cachedCount(executor: SqlExecutor, statement: SqlStatement, count: () => Promise<Counted>): Promise<Counted> {
  const mark = markOf(executor);
  const key = mark === undefined ? undefined : keyOf(statement);
  if (mark === undefined || key === undefined || key.length > maxKey) return count();
  const counts = countsAt(executor, mark);
  const known = counts.byStatement.get(key);
  if (known !== undefined) return known;
  const counted = await count();
  if (counts.mark === mark) {
    if (counts.byStatement.size >= maxCounts) counts.byStatement.clear();
    counts.byStatement.set(key, counted);
  }
  return counted;
}

/** What keeps the mark from being read, the count itself reports. */
function markOf(executor: SqlExecutor): string | undefined {
  try {
    return executor.changeMark?.();
  } catch {
    return undefined;
  }
}

function countsAt(executor: SqlExecutor, mark: string): Counts {
  let counts = countsOf.get(executor);
  if (counts === undefined) {
    counts = { mark, byStatement: new Map() };
    countsOf.set(executor, counts);
  } else if (counts.mark !== mark) {
    counts.mark = mark;
    counts.byStatement.clear();
  }
  return counts;
}

/** A text that only equal statements have. */
function keyOf({ text, values }: SqlStatement): string {
  return [text, ...values.map((value) => (typeof value === "string" ? JSON.stringify(value) : `${typeof value} ${value}`))].join("\n");
}
