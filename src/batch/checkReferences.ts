import { ProblemError, type ProblemItem, problemOf } from "../problem/index.js";
import { maximumItems } from "../problem/problem.js";
import type { Reference } from "./reference.js";
import { type Referring, referencesOf } from "./referencesOf.js";
import type { Suboperation } from "./suboperation.js";
import { suboperationFault } from "./suboperationFault.js";

/** An operation as far as names and references go; one that could not be read has a path `/` and no body. */
export type Named = Referring & Pick<Suboperation, "index" | "name">;

/**
 * Checks names and references of a batch before anything runs: the problem of each operation that has one, by its index.
 *
 * A reference leads to an operation that stands before. Of two operations with one name the later is refused.
 *
 * @param operations In the order of the batch.
 */
export function checkReferences(operations: readonly Named[]): ReadonlyMap<number, ProblemError> {
  const problems = new Map<number, ProblemError>();
  const names: Names = { all: new Set(operations.flatMap(({ name }) => name ?? [])), before: new Set(), first: [] };
  for (const operation of operations) {
    const faults = [...faultsOfName(operation, names), ...faultsOfReferences(operation, names)];
    if (faults.length > 0) problems.set(operation.index, problemOf("INVALID_BATCH", faults));
    const { name } = operation;
    if (name === undefined || names.before.has(name)) continue;
    names.before.add(name);
    if (names.first.length < maximumItems) names.first.push(name);
  }
  return problems;
}

interface Names {
  readonly all: ReadonlySet<string>;
  readonly before: Set<string>;
  /** The first of those before, for messages. */
  readonly first: string[];
}

function faultsOfName({ name }: Named, { before }: Names): ProblemItem[] {
  if (name === undefined || !before.has(name)) return [];
  return [suboperationFault("/name", `The name "${name}" is taken by an operation before; each name stands once in a batch.`)];
}

function faultsOfReferences(operation: Named, names: Names): readonly ProblemItem[] {
  try {
    const wrong = referencesOf(operation).filter(({ name }) => !names.before.has(name));
    return wrong.slice(0, maximumItems).map((reference) => unreachable(reference, operation, names));
  } catch (error) {
    if (error instanceof ProblemError) return error.errors;
    throw error;
  }
}

function unreachable({ text, name, pointer }: Reference, operation: Named, { all, first }: Names): ProblemItem {
  const later = all.has(name) ? "an operation that comes later" : "no operation of this batch";
  const what = name === operation.name ? "its own operation" : later;
  const before = first.length === 0 ? "none" : first.join(", ");
  const detail = `The reference ${JSON.stringify(text)} leads to ${what}; operations with a name that stand before: ${before}.`;
  return suboperationFault(pointer, detail, { allowed: [...first] });
}
