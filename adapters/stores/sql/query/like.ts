import type { LikePart } from "../../../../src/ground/storage/filter.js";
import type { Bindings } from "../engine/bindings.js";

const many: LikePart = { any: "many" };

/**
 * Writes the condition "the text matches the pattern", which takes time linear in the length of the text. The start and the end of the pattern are compared;
 * the parts between wildcards are searched one after the other, each after the end of the previous match. The engines' own patterns backtrack.
 */
export function writeLike(expression: string, parts: readonly LikePart[], bindings: Bindings): string {
  const { dialect } = bindings;
  const runs = literalRuns(parts);
  if (runs === undefined) return dialect.like(expression, parts, bindings);
  if (runs.length === 1) return `${expression} = ${bindings.bind(runs[0])}`;
  const [start = "", ...others] = runs;
  const end = others.pop() ?? "";
  const middles = others.filter((run) => run !== "");
  const conditions: string[] = [];
  // The engine can search an index on the text with a prefix pattern.
  if (start !== "" || (end === "" && middles.length === 0)) conditions.push(dialect.like(expression, [start, many], bindings));
  if (end !== "") conditions.push(`substr(${expression}, length(${expression}) - ${bindings.bind(lengthOf(end) - 1)}) = ${bindings.bind(end)}`);
  if (middles.length > 0) conditions.push(writeMiddles(expression, lengthOf(start), lengthOf(end), middles, bindings));
  else if (start !== "" && end !== "") conditions.push(`length(${expression}) >= ${bindings.bind(lengthOf(start) + lengthOf(end))}`);
  return conditions.length === 1 ? conditions.join() : `(${conditions.join(" and ")})`;
}

/** The texts between wildcards for any number of characters; `undefined` if the pattern has a wildcard for exactly one character. */
function literalRuns(parts: readonly LikePart[]): string[] | undefined {
  const runs = [""];
  for (const part of parts) {
    if (typeof part === "string") runs[runs.length - 1] += part;
    else if (part.any === "one") return undefined;
    else runs.push("");
  }
  return runs;
}

/** Length in code points, as engines count. */
function lengthOf(text: string): number {
  return [...text].length;
}

/** Each part has its own sub-select, so that the engine evaluates the search before it once. An expression that repeats it would double with each part. */
function writeMiddles(expression: string, start: number, end: number, middles: readonly string[], bindings: Bindings): string {
  const { dialect } = bindings;
  const last = middles.length - 1;
  const inner = () => {
    if (start === 0 && end === 0) return expression;
    const least = bindings.bind(start + end);
    const from = bindings.bind(start + 1);
    return `case when length(${expression}) >= ${least} then substr(${expression}, ${from}, length(${expression}) - ${bindings.bind(start + end)}) end`;
  };
  // The placeholders of an outer level come before those of the inner levels.
  const restAfter = (index: number): string => {
    if (index < 0) return inner();
    const middle = middles[index] ?? "";
    const found = dialect.position("_rest", bindings.bind(middle));
    const rest = `substr(_rest, nullif(${found}, 0) + ${bindings.bind(lengthOf(middle))})`;
    return `(select ${rest} from (select ${restAfter(index - 1)} as _rest limit 1) as _chain limit 1)`;
  };
  if (last === 0 && start === 0 && end === 0) return `${dialect.position(expression, bindings.bind(middles[0]))} > 0`;
  const found = dialect.position("_rest", bindings.bind(middles[last]));
  return `(select ${found} > 0 from (select ${restAfter(last - 1)} as _rest limit 1) as _chain limit 1)`;
}
