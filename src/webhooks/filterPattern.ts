import { defaultLimits } from "../limits/limits.js";
import { parsePattern } from "../query/like.js";
import { fold } from "../storage/fold.js";

/** A matcher of a `like` pattern as lists read it, or what the pattern would have to be. */
export function compilePattern(pattern: string): ((found: unknown) => boolean) | string {
  const parsed = parsePattern(pattern, defaultLimits);
  if ("maximum" in parsed) return `a pattern; ${parsed.what.toLowerCase()}: ${parsed.got}, allowed: ${parsed.maximum}`;
  const runs = [""];
  for (const part of parsed.parts) {
    if (typeof part === "string") runs[runs.length - 1] += fold(part);
    else runs.push("");
  }
  return (found) => typeof found === "string" && matchRuns(runs, fold(found));
}

/** Literal runs with anything between them: each is placed leftmost, the last one at the end. Nothing is ever tried twice. */
function matchRuns(runs: readonly string[], text: string): boolean {
  const [first = "", ...others] = runs;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let position = first.length;
  for (const run of others) {
    const start = text.indexOf(run, position);
    if (start < 0) return false;
    position = start + run.length;
  }
  return text.length - last.length >= position && text.endsWith(last);
}
