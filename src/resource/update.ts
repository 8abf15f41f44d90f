import type { HttpResponse } from "../http/message.js";
import type { Limits } from "../limits/limits.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { changed, changeRow, updateRow } from "./change.js";
import { parseId } from "./identify.js";
import { refuseProblems, writableMembers } from "./members.js";
import { patchedValues } from "./patchedValues.js";
import type { Resource } from "./resource.js";
import { regenerate, stamp } from "./rowValues.js";

const mergePatch = "application/merge-patch+json";

/** The media types that PATCH takes of a resource, for `Accept-Patch`. */
export function patchTypes(resource: Resource): readonly string[] {
  return resource.strictPatchTypes ? [mergePatch] : [mergePatch, "application/json"];
}

/** PATCH of one row with a merge patch. */
export function updateOperation(resource: Resource, limits: Limits): Operation {
  const supported = patchTypes(resource);
  return {
    name: `${resource.name}.update`,
    method: "PATCH",
    safety: "unsafe",
    access: { action: "update", collection: resource.name },
    body: { accepts: (mediaType) => supported.includes(mediaType), supported, limitBytes: limits.jsonBodyBytes },
    run: (context) => update(resource, context),
  };
}

async function update(resource: Resource, context: Context): Promise<HttpResponse> {
  const id = await parseId(resource, context.params[0] ?? "");
  const { body, environment } = context;
  return changeRow(resource, context, id, {
    action: "update",
    fields: typeof body === "object" && body !== null ? Object.keys(body) : [],
    done: changed(context),
    async write(row, permit) {
      const { input, problems } = writableMembers(resource, body, context, permit, row);
      const patched = await patchedValues(resource, row, input);
      refuseProblems([...problems, ...patched.problems]);
      if (Object.keys(input).length === 0) return { ok: true, row };
      const now = new Date(environment.clock.now());
      return updateRow(resource, context, row, { ...patched.values, ...regenerate(resource, now), ...stamp(environment, now) });
    },
  });
}
