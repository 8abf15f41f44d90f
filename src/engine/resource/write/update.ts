import { isObject } from "../../../ground/http/isObject.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import type { Row, RowPatch } from "../../../ground/storage/collection.js";
import type { Id } from "../../../ground/storage/scalar.js";
import { parseSteps } from "../../../language/patch/parseJsonPatch.js";
import { gateFor } from "../../../language/schema/access.js";
import type { Context } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import type { Permit } from "../../operation/permit.js";
import { withNamedFields } from "../../operation/write/writeMarks.js";
import { isMade } from "../generators.js";
import { parseId } from "../read/identify.js";
import { refuseOtherParentIn } from "../read/pathKey.js";
import type { Resource } from "../resource.js";
import { type Change, changed, changeRow, unchanged, updateRow } from "./change.js";
import { changesNothing, keepFinerInstants } from "./changesNothing.js";
import { namedMembers, patchedMembers, patchLimits, validatedMembers } from "./jsonPatched.js";
import { refuseProblems, writableMembers } from "./members.js";
import { type PatchedValues, patchedValues } from "./patchedValues.js";
import { regenerate, stamp } from "./rowValues.js";

const mergePatch = "application/merge-patch+json";
const jsonPatch = "application/json-patch+json";

/** The media types that PATCH accepts, for `Accept-Patch`. */
export function patchTypes(resource: Resource): readonly string[] {
  return resource.strictPatchTypes ? [mergePatch, jsonPatch] : [mergePatch, jsonPatch, "application/json"];
}

/** PATCH of one row with a merge patch (RFC 7396) or a JSON Patch (RFC 6902). */
export function updateOperation(resource: Resource, limits: Limits): Operation {
  const supported = patchTypes(resource);
  return {
    name: `${resource.name}.update`,
    method: "PATCH",
    access: { action: "update", collection: resource.name },
    answers: "row",
    body: { accepts: (mediaType) => supported.includes(mediaType), supported, limitBytes: limits.jsonBodyBytes },
    run: (context) => update(resource, context),
  };
}

/** A patch of any type: the fields that it names, and its effect on a row. */
export interface Patch extends Pick<Change, "maxRetries" | "readsRow"> {
  readonly fields: readonly string[];
  /** Fields that it names although their value may stay the same; those that it sets are named in any case. */
  readonly named?: readonly string[] | undefined;
  /** `undefined` if nothing changes. @throws {ProblemError} for a result that is invalid, or that the principal may not write */
  apply(row: Row, permit: Permit): Promise<Readonly<Record<string, unknown>> | undefined>;
}

async function update(resource: Resource, context: Context): Promise<HttpResponse> {
  const parsed = parseId(resource, context.params[0] ?? "");
  const id = parsed instanceof Promise ? await parsed : parsed;
  const patch = isJsonPatch(context) ? jsonPatchOf(resource, context) : mergePatchOf(resource, context, context.body);
  return patchRow(resource, context, id, patch, changed(context));
}

/** Applies a patch to a row. @param done makes the answer from the changed row */
export function patchRow<Answer>(resource: Resource, context: Context, id: Id, patch: Patch, done: Change<Answer>["done"]): Promise<Answer> {
  return changeRow(resource, context, id, {
    action: "update",
    fields: patch.fields,
    maxRetries: patch.maxRetries,
    readsRow: patch.readsRow,
    done,
    async write(row, permit) {
      const patched = await patch.apply(row, permit);
      const values = patched && changesNothing(resource, row, patched) ? undefined : rowPatch(resource, context, patched, patch.named);
      return values === undefined ? unchanged(row) : updateRow(resource, context, row, values);
    },
  });
}

/** A body as a merge patch, and the columns that it sets, with generated ones; `undefined` if nothing changes. `kept` takes precedence over generated values. */
export function validateMergePatch(
  resource: Resource,
  context: Context,
  body: unknown,
): {
  readonly fields: readonly string[];
  apply(row: Row, permit: Permit, kept?: Readonly<Record<string, unknown>>): Promise<RowPatch | undefined>;
} {
  const { fields, apply } = mergePatchOf(resource, context, body);
  return {
    fields,
    async apply(row, permit, kept = {}) {
      const values = await apply(row, permit);
      const patch = rowPatch(resource, context, values ?? (Object.keys(kept).length === 0 ? undefined : {}));
      return patch && { ...patch, ...kept };
    },
  };
}

function rowPatch(
  resource: Resource,
  { environment }: Context,
  values: Readonly<Record<string, unknown>> | undefined,
  alsoNamed: readonly string[] = [],
): RowPatch | undefined {
  if (values === undefined) return undefined;
  const now = new Date(environment.clock.now());
  const named = new Set([...Object.keys(values), ...alsoNamed]);
  return withNamedFields(environment, resource.name, { ...values, ...regenerate(resource, now), ...stamp(environment, now) }, [...named]);
}

function isJsonPatch({ headers }: Context): boolean {
  return headers.mediaType?.type === jsonPatch;
}

/** A body as a merge patch. */
export function mergePatchOf(resource: Resource, context: Context, body: unknown): Patch {
  return {
    fields: isObject(body) ? Object.keys(body) : [],
    async apply(row, permit) {
      const { input, problems } = writableMembers(resource, body, context, permit, row);
      return settled(resource, row, input, problems, await patchedValues(resource, row, input));
    },
  };
}

function jsonPatchOf(resource: Resource, context: Context): Patch {
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

function settled(
  resource: Resource,
  row: Row,
  input: Readonly<Record<string, unknown>>,
  problems: PatchedValues["problems"],
  patched: PatchedValues,
): PatchedValues["values"] | undefined {
  refuseProblems([...problems, ...patched.problems]);
  keepFinerInstants(resource, row, patched.values);
  return Object.keys(input).length === 0 ? undefined : patched.values;
}

function isWritable(field: Resource["id"] | undefined): boolean {
  return field !== undefined && !isMade(field);
}
