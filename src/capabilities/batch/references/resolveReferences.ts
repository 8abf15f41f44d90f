import { isObject } from "../../../ground/http/isObject.js";
import { ProblemError, type ProblemItem, problemOf } from "../../../ground/problem/index.js";
import { copyJson } from "../../../language/patch/copyJson.js";
import { overweight, type Weight, weigh } from "../../../language/patch/weigh.js";
import type { Suboperation } from "../plan/suboperation.js";
import { suboperationFault } from "../plan/suboperationFault.js";
import { followReference, type SubResult } from "./followReference.js";
import type { Reference } from "./reference.js";
import { isReference, referencesOf } from "./referencesOf.js";
import { resolvePath } from "./resolvePathReferences.js";

/** Limits of an operation after its references were resolved. */
export interface ResolvedLimits {
  /** The most bytes of path and query. */
  readonly targetBytes: number;
  /** Which segment of the path is a composite id, if one is. */
  readonly compositeAt?: number | undefined;
  /** Of the body: values at any depth, characters of texts and names, nesting of arrays and objects. */
  readonly body: Weight;
}

/**
 * Replaces the references of an operation by their values. Values are copied from the results.
 *
 * A value fills one segment of the path, and may equal a word that the router knows, such as `batch`. So the caller must route the path again and reject
 * it unless it matches the same endpoint as its template: a segment in braces matches variables only, because no literal contains braces.
 * The limits apply to the whole body: otherwise a hundred operations that each contain the previous one twice would create 2¹⁰⁰ values.
 *
 * @param results of earlier operations, by name. An operation without a result counts as failed.
 * @throws {ProblemError} FAILED_DEPENDENCY if the referenced operation failed; INVALID_BATCH if its result has no such value, or a path cannot
 * contain the value; PAYLOAD_TOO_LARGE if the body becomes too large
 */
export function resolveReferences(operation: Suboperation, results: ReadonlyMap<string, SubResult>, limits: ResolvedLimits): Suboperation {
  const references = referencesOf(operation);
  if (references.length === 0) return operation;
  const values = followAll(references, results);
  const path = resolvePath(operation, values, limits);
  const isInBody = references.some(({ pointer }) => pointer !== "/url");
  return { ...operation, path, body: isInBody ? resolveBody(operation.body, values, limits.body) : operation.body };
}

/** What references lead to, by their texts. */
type ReferencedValues = ReadonlyMap<string, unknown>;

function followAll(references: readonly Reference[], results: ReadonlyMap<string, SubResult>): ReferencedValues {
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
  const there = members.length === 0 ? "" : ` The last object found has: ${members.join(", ")}.`;
  return suboperationFault(pointer, `The reference ${JSON.stringify(text)} does not exist in that result.${there}`, { allowed: members });
}

function resolveBody(body: unknown, values: ReferencedValues, bound: Weight): unknown {
  // Values are copied only after the whole body is known to be small enough.
  const filled = fill(body, values);
  const limit = overweight(weigh(filled, bound), bound);
  if (limit === undefined) return copyJson(filled, bound.depth);
  const noun = { nodes: "values", characters: "characters", depth: "levels" }[limit];
  const detail = `With its references resolved, the body has more than ${bound[limit]} ${noun}.`;
  throw new ProblemError("PAYLOAD_TOO_LARGE", detail, {
    errors: [{ code: "PAYLOAD_TOO_LARGE", detail, pointer: "/body", maximum: bound[limit] }],
    extensions: { maximum: bound[limit] },
  });
}

/** Recursive: the parser has limited the depth. Values from results are data and are not searched for references. */
function fill(value: unknown, values: ReferencedValues): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => fill(element, values));
  if (!isObject(value)) return value;
  if (isReference(value)) return values.get(String(value.$result));
  // An assignment would treat `__proto__` specially.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, values)]));
}
