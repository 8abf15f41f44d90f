import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../../ground/http/isObject.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { invalidBody, type ProblemItem } from "../../../ground/problem/index.js";
import type { Row } from "../../../ground/storage/collection.js";
import { applySteps } from "../../../language/patch/applyJsonPatch.js";
import type { JsonPatchLimits } from "../../../language/patch/jsonPatchLimits.js";
import type { JsonPatchStep } from "../../../language/patch/jsonPatchStep.js";
import { parseSteps } from "../../../language/patch/parseJsonPatch.js";
import { type Gate, gateFor } from "../../../language/schema/access.js";
import type { Context } from "../../operation/context.js";
import { wholeProblems } from "../define/wholeProblems.js";
import { isMade } from "../generators.js";
import { refuseOtherParentIn } from "../read/pathKey.js";
import type { Resource } from "../resource.js";
import { writableMembers } from "./members.js";
import { type Patch, settled } from "./patch.js";
import { type PatchedValues, removedField, restoreNulls } from "./patchedValues.js";
import { inputOf, toBodyValue, toRowValue, withUndeclared } from "./rowValues.js";

/** A body as a JSON Patch. @throws {ProblemError} PATCH_MALFORMED */
export function jsonPatchOf(resource: Resource, context: Context): Patch {
  const { limits } = context.environment;
  const steps = parseSteps(context.body, patchLimits(limits));
  const fields = namedMembers(steps);
  return {
    fields,
    named: fields.filter((name) => isWritable(resource.fields.get(name))),
    async apply(row, permit) {
      const patched = patchedMembers(resource, gateFor(context.principal, permit.fields), row, steps, limits);
      refuseOtherParentIn(context, resource, patched.changed);
      const { input, problems } = writableMembers(resource, patched.changed, context, permit, row);
      return settled(resource, row, input, problems, await validatedMembers(resource, row, input, patched));
    },
  };
}

function isWritable(field: Resource["id"] | undefined): boolean {
  return field !== undefined && !isMade(field);
}

/** What a JSON Patch makes of a row. */
interface JsonPatched {
  /** Members that differ afterwards; those that are gone are null here. */
  readonly changed: Readonly<Record<string, unknown>>;
  readonly removed: ReadonlySet<string>;
  readonly before: Readonly<Record<string, unknown>>;
  /** Where the objects of the result were in the stored row. */
  readonly origins: ReadonlyMap<unknown, unknown>;
}

/**
 * Applies a JSON Patch to what the principal may read of a row: `test` and `copy` would tell of the rest.
 *
 * @throws {ProblemError} PATCH_CONFLICT, PATCH_MALFORMED; VALIDATION_FAILED if the result is not an object
 */
function patchedMembers(resource: Resource, gate: Gate, row: Row, steps: readonly JsonPatchStep[], limits: Limits): JsonPatched {
  const before = readableDocument(resource, gate, row);
  const origins = new Map<unknown, unknown>();
  const after = applySteps(before, steps, patchLimits(limits), (copy) => noteOrigins(before, row, copy, origins));
  if (!isObject(after)) throw invalidBody("The result of the patch must be an object.", "");
  const removed = new Set(Object.keys(before).filter((name) => !Object.hasOwn(after, name)));
  const kept = Object.entries(after).filter(([name, value]) => !Object.hasOwn(before, name) || !isDeepStrictEqual(before[name], value));
  return { changed: { ...Object.fromEntries(kept), ...Object.fromEntries([...removed].map((name) => [name, null])) }, removed, before, origins };
}

/** Notes the stored objects of which the document has copies, in fields that are shown in part: what is shown whole has no undeclared members. */
function noteOrigins(before: Readonly<Record<string, unknown>>, row: Row, copy: unknown, origins: Map<unknown, unknown>): void {
  if (!isObject(copy)) return;
  for (const [name, shown] of Object.entries(before)) if (shown !== row[name]) noteCopy(copy[name], row[name], origins);
}

function noteCopy(copy: unknown, stored: unknown, origins: Map<unknown, unknown>): void {
  if (typeof copy !== "object" || copy === null || typeof stored !== "object" || stored === null) return;
  origins.set(copy, stored);
  for (const [step, part] of Object.entries(copy)) noteCopy(part, Reflect.get(stored, step), origins);
}

/** The columns that the changed members set, validated as they stand: here null is a value. */
async function validatedMembers(
  resource: Resource,
  row: Row,
  input: Readonly<Record<string, unknown>>,
  { removed, before, origins }: JsonPatched,
): Promise<PatchedValues> {
  const values: Record<string, unknown> = {};
  const problems: ProblemItem[] = [];
  for (const [name, value] of Object.entries(input)) {
    const field = resource.fields.get(name);
    if (field === undefined) continue;
    const restored = restoreNulls(field, value, removedBetween(before[name], value));
    const validation = removed.has(name) ? await removedField(field) : await field.validate(inputOf(field, restored), [name]);
    if (validation.ok) values[name] = validation.value === undefined ? null : toRowValue(field, validation.value);
    else problems.push(...validation.items);
  }
  withUndeclared(resource.fields, row, values, (name) => ({ value: input[name], origins }));
  if (problems.length === 0) problems.push(...(await wholeProblems(resource, { ...row, ...values })));
  return { values, problems };
}

/** Top-level members that the steps may change, for `authorize`. The empty name stands for the whole document. */
function namedMembers(steps: readonly JsonPatchStep[]): string[] {
  const pointers = steps.flatMap((step) => {
    if (step.op === "test") return [];
    return step.op === "move" ? [step.path, step.from] : [step.path];
  });
  return [...new Set(pointers.map(({ tokens: [first = ""] }) => first))];
}

/** What one JSON body may hold, a patch and its result may. */
function patchLimits({ patchOperations, jsonValues, jsonBodyBytes, jsonDepth }: Limits): JsonPatchLimits {
  return { operations: patchOperations, nodes: jsonValues, characters: jsonBodyBytes, depth: jsonDepth };
}

function readableDocument(resource: Resource, gate: Gate, row: Row): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  for (const field of resource.fields.values()) {
    const value = gate(field, "read") === "allowed" ? toBodyValue(field, row[field.name]) : undefined;
    if (value !== undefined) document[field.name] = value;
  }
  return document;
}

/** Paths of members that objects have lost, below one field. */
function removedBetween(before: unknown, after: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (!isObject(before) || !isObject(after)) return [];
  return Object.keys(before).flatMap((name) =>
    Object.hasOwn(after, name) ? removedBetween(before[name], after[name], [...path, name]) : [[...path, name]],
  );
}
