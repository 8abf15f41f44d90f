import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import { type ProblemItem, problemOf } from "../../../ground/problem/index.js";
import type { Suboperation } from "../plan/suboperation.js";
import { suboperationFault } from "../plan/suboperationFault.js";
import { parseReference, type Reference } from "./reference.js";

/** The parts of an operation that may contain references. Headers and the query may not. */
export type MayHaveReferences = Pick<Suboperation, "path" | "body">;

/** The member that makes an object of a body a reference. */
const marker = "$result";

const maxReferences = 100;
/** The longest name in a pointer; the pointer ends before a longer one. */
const stepLength = 256;

/**
 * All references of an operation: whole segments of its path, `{op1.data.id}`, and objects anywhere in its body with the only member `$result`.
 *
 * The name `$result` is reserved: an object that has other members beside it, or no valid reference in it, is rejected.
 *
 * @throws {ProblemError} INVALID_BATCH for more than 100 references, and for an invalid reference
 */
export function referencesOf({ path, body }: MayHaveReferences): readonly Reference[] {
  const found: Found = { references: [], faults: [], count: 0 };
  for (const segment of path.split("/")) {
    const text = segmentReference(segment);
    if (text !== undefined) add(found, text, "/url");
  }
  search(body, ["body"], found);
  if (found.count > maxReferences) {
    const detail = `An operation has at most ${maxReferences} references.`;
    throw problemOf("INVALID_BATCH", [suboperationFault("", detail, { maximum: maxReferences })]);
  }
  if (found.faults.length > 0) throw problemOf("INVALID_BATCH", found.faults);
  return found.references;
}

/** `{op1.data.id}` → `op1.data.id`; `undefined` for any other segment. */
export function segmentReference(segment: string): string | undefined {
  return segment.startsWith("{") && segment.endsWith("}") ? segment.slice(1, -1) : undefined;
}

/** Whether an object of a body is a reference, valid or not. */
export function isReference(object: Readonly<Record<string, unknown>>): object is { readonly $result: unknown } {
  return Object.hasOwn(object, marker);
}

interface Found {
  readonly references: Reference[];
  readonly faults: ProblemItem[];
  count: number;
}

/** Recursive: the parser has limited the depth. */
function search(value: unknown, path: (string | number)[], found: Found): void {
  if (typeof value !== "object" || value === null || found.count > maxReferences) return;
  if (isObject(value) && isReference(value)) {
    addObject(value, pointerTo(path), found);
    return;
  }
  for (const [step, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    path.push(step);
    search(member, path, found);
    path.pop();
  }
}

function addObject(object: { readonly $result: unknown }, at: string, found: Found): void {
  const text = object.$result;
  if (typeof text === "string" && Object.keys(object).length === 1) {
    add(found, text, at);
    return;
  }
  found.count += 1;
  const detail = `An object with "${marker}" is a reference: its one member is text such as "op1.data.id".`;
  found.faults.push(suboperationFault(at, detail, { allowed: [marker] }));
}

function add(found: Found, text: string, at: string): void {
  found.count += 1;
  const parsed = parseReference(text, at);
  if ("detail" in parsed) found.faults.push(suboperationFault(at, parsed.detail, parsed.allowed && { allowed: parsed.allowed }));
  else found.references.push(parsed);
}

function pointerTo(path: readonly (string | number)[]): string {
  const tooLong = path.findIndex((step) => typeof step === "string" && step.length > stepLength);
  return pointer(tooLong === -1 ? path : path.slice(0, tooLong));
}
