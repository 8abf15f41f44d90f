import { copyJson } from "../patch/copyJson.js";
import { isObject } from "../patch/isObject.js";
import { overweight, type Weight, weigh } from "../patch/weigh.js";
import { ProblemError, type ProblemItem, problemOf } from "../problem/index.js";
import { followReference, type SubResult } from "./followReference.js";
import type { Reference } from "./reference.js";
import { isReference, referencesOf } from "./referencesOf.js";
import { resolvePath } from "./resolvePathReferences.js";
import type { Suboperation } from "./suboperation.js";
import { suboperationFault } from "./suboperationFault.js";

/** What an operation may become once values stand in it. */
export interface ResolvedLimits {
  /** Longest path and query together, in bytes. */
  readonly targetBytes: number;
  /** Of the body: values at any depth, characters of texts and names, nesting of arrays and objects. */
  readonly body: Weight;
}

/**
 * An operation with values in the places of its references; it shares nothing with the results that they come from.
 *
 * A value takes one segment of the path, and may equal a word that the router knows, such as `batch`. So whoever runs the operation routes it
 * again and refuses it unless it meets the endpoint that its template meets: a segment in braces meets variables only, as no literal has braces.
 * The body is bounded as a whole, else a hundred operations that each hold the one before twice would make 2¹⁰⁰ values.
 *
 * @param results Of the operations before, by name. An operation without one is taken to have failed.
 * @throws {ProblemError} FAILED_DEPENDENCY where an operation that is referred to has failed; INVALID_BATCH where its result has no such place, or
 * a value that no path can hold; PAYLOAD_TOO_LARGE where the body becomes too large
 */
export function resolveReferences(operation: Suboperation, results: ReadonlyMap<string, SubResult>, limits: ResolvedLimits): Suboperation {
  const references = referencesOf(operation);
  if (references.length === 0) return operation;
  const values = followAll(references, results);
  const path = resolvePath(operation, values, limits.targetBytes);
  const isInBody = references.some(({ pointer }) => pointer !== "/url");
  return { ...operation, path, body: isInBody ? resolveBody(operation.body, values, limits.body) : operation.body };
}

/** Values by the text of the reference. */
type Values = ReadonlyMap<string, unknown>;

function followAll(references: readonly Reference[], results: ReadonlyMap<string, SubResult>): Values {
  const values = new Map<string, unknown>();
  const failed: ProblemItem[] = [];
  const faults: ProblemItem[] = [];
  for (const reference of references) {
    const result = results.get(reference.name);
    if (result === undefined || result.status >= 400) {
      failed.push(failure(reference, result));
      continue;
    }
    const followed = followReference(reference, result);
    if ("value" in followed) values.set(reference.text, followed.value);
    else faults.push(missing(reference, followed.members));
  }
  if (failed.length > 0) throw problemOf("FAILED_DEPENDENCY", failed);
  if (faults.length > 0) throw problemOf("INVALID_BATCH", faults);
  return values;
}

function failure({ name, pointer }: Reference, result: SubResult | undefined): ProblemItem {
  const what = result === undefined ? "was not run" : `failed with ${result.status}`;
  return { code: "FAILED_DEPENDENCY", detail: `The operation "${name}" ${what}, and this one needs its result.`, pointer };
}

function missing({ text, pointer }: Reference, members: readonly string[]): ProblemItem {
  const there = members.length === 0 ? "" : ` Where it ends there are: ${members.join(", ")}.`;
  return suboperationFault(pointer, `The reference ${JSON.stringify(text)} leads to nothing in that result.${there}`, { allowed: members });
}

function resolveBody(body: unknown, values: Values, bound: Weight): unknown {
  // Results are only pointed at until the whole is known to be small enough to be copied.
  const filled = fill(body, values);
  const limit = overweight(weigh(filled, bound), bound);
  if (limit === undefined) return copyJson(filled, bound.depth);
  const noun = { nodes: "values", characters: "characters", depth: "levels" }[limit];
  const detail = `With the values of its references the body has more than ${bound[limit]} ${noun}.`;
  throw new ProblemError("PAYLOAD_TOO_LARGE", detail, {
    errors: [{ code: "PAYLOAD_TOO_LARGE", detail, pointer: "/body", maximum: bound[limit] }],
    extensions: { maximum: bound[limit] },
  });
}

/** Recursive: whoever parsed the body has bounded its depth. What comes from a result is not searched: it is data. */
function fill(value: unknown, values: Values): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => fill(element, values));
  if (!isObject(value)) return value;
  if (isReference(value)) return values.get(String(value.$result));
  // Not by assignment: `__proto__` must be a member like any other.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, values)]));
}
