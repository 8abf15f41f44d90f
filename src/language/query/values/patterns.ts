import type { Limits } from "../../../ground/limits/limits.js";
import type { FaultLocation } from "../../../ground/problem/faultLocation.js";
import { operandsOf } from "../../../ground/storage/filterParts.js";
import { type Faults, tooComplex } from "../fault.js";
import type { FilterTree } from "../grammar/tree.js";

/** Limits all `like` conditions of a query together, including those on related rows: each is matched against the text of every row. */
export function checkPatterns(filters: readonly FilterTree[], limits: Limits, faults: Faults, place?: FaultLocation): void {
  const lengths = filters.flatMap(patternLengths);
  const characters = lengths.reduce((sum, length) => sum + length, 0);
  if (lengths.length > limits.likes) faults.push(tooComplex(`Conditions with "like"`, lengths.length, limits.likes, place));
  if (characters > limits.patternsLength) faults.push(tooComplex(`Characters of all "like" patterns`, characters, limits.patternsLength, place));
}

/** Characters of each pattern, without its wildcards. */
function patternLengths(tree: FilterTree): readonly number[] {
  if (tree.op === "relation") return patternLengths(tree.filter);
  if (tree.op !== "like") return operandsOf<FilterTree>(tree).flatMap(patternLengths);
  return [tree.parts.reduce((sum, part) => sum + (typeof part === "string" ? part.length : 0), 0)];
}
