import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { ProblemError, type ProblemItem, problemOf } from "../../../ground/problem/index.js";
import { maxItems } from "../../../ground/problem/problem.js";
import type { Suboperation } from "../plan/suboperation.js";
import { suboperationFault } from "../plan/suboperationFault.js";
import type { Reference } from "./reference.js";
import { type MayHaveReferences, referencesOf } from "./referencesOf.js";

/** The name and the references of an operation; an operation that could not be parsed has the path `/` and no body. */
export type Named = MayHaveReferences & Pick<Suboperation, "index" | "name">;

/**
 * Checks names and references of a batch before anything is executed. Returns the problem of each invalid operation, by its index.
 *
 * A reference must name an earlier operation. If two operations have one name, the second one is rejected.
 *
 * @param operations in the order of the batch
 */
export async function checkReferences(operations: readonly Named[]): Promise<ReadonlyMap<number, ProblemError>> {
  const problems = new Map<number, ProblemError>();
  const names: Names = { all: new Set(operations.flatMap(({ name }) => name ?? [])), before: new Set(), first: [] };
  for (const operation of operations) {
    await yieldToEventLoop();
    const faults = [...faultsOfName(operation, names), ...faultsOfReferences(operation, names)];
    if (faults.length > 0) problems.set(operation.index, problemOf("INVALID_BATCH", faults));
    const { name } = operation;
    if (name === undefined || names.before.has(name)) continue;
    names.before.add(name);
    if (names.first.length < maxItems) names.first.push(name);
  }
  return problems;
}

interface Names {
  readonly all: ReadonlySet<string>;
  readonly before: Set<string>;
  /** The first earlier names, for messages. */
  readonly first: string[];
}

function faultsOfName({ name }: Named, { before }: Names): ProblemItem[] {
  if (name === undefined || !before.has(name)) return [];
  return [suboperationFault("/name", `The name "${name}" is already used by an earlier operation; names are unique in a batch.`)];
}

function faultsOfReferences(operation: Named, names: Names): readonly ProblemItem[] {
  try {
    const wrong = referencesOf(operation).filter(({ name }) => !names.before.has(name));
    return wrong.slice(0, maxItems).map((reference) => unreachable(reference, operation, names));
  } catch (error) {
    if (error instanceof ProblemError) return error.errors;
    throw error;
  }
}

function unreachable({ text, name, pointer }: Reference, operation: Named, { all, first }: Names): ProblemItem {
  const later = all.has(name) ? "a later operation" : "no operation of this batch";
  const what = name === operation.name ? "its own operation" : later;
  const before = first.length === 0 ? "none" : first.join(", ");
  const detail = `The reference ${JSON.stringify(text)} leads to ${what}; earlier operations with a name: ${before}.`;
  return suboperationFault(pointer, detail, { allowed: [...first] });
}
