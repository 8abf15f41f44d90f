import { isObject } from "../../../ground/http/isObject.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { onDemand } from "../../../ground/onDemand/onDemand.js";
import type { Row, RowPatch } from "../../../ground/storage/collection.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Context } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import type { Permit } from "../../operation/permit.js";
import { withNamedFields } from "../../operation/write/writeMarks.js";
import { parseId } from "../read/identify.js";
import type { Resource } from "../resource.js";
import { type Change, changed, changeRow, unchanged, updateRow } from "./change.js";
import { changesNothing } from "./changesNothing.js";
import { writableMembers } from "./members.js";
import { type Patch, settled } from "./patch.js";
import { patchedValues } from "./patchedValues.js";
import { regenerate, stamp } from "./rowValues.js";

/** Most clients send merge patches. */
const loadJsonPatch = /* @__PURE__ */ onDemand(() => import("./jsonPatched.js"));

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

async function update(resource: Resource, context: Context): Promise<HttpResponse> {
  const parsed = parseId(resource, context.params[0] ?? "");
  const id = parsed instanceof Promise ? await parsed : parsed;
  const patch = isJsonPatch(context) ? (await loadJsonPatch()).jsonPatchOf(resource, context) : mergePatchOf(resource, context, context.body);
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
