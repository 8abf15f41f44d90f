import { preferencesOf } from "../../../ground/http/headers/preferences.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { RemoveCall } from "../../../ground/storage/completed/rowsOver.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { type Context, writeCall } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import { parseId } from "../read/identify.js";
import type { Resource } from "../resource.js";
import { type Change, changeRow } from "./change.js";

/** DELETE of one row. */
export function removeOperation(resource: Resource): Operation {
  return {
    name: `${resource.name}.remove`,
    method: "DELETE",
    access: { action: "remove", collection: resource.name },
    run: (context) => remove(resource, context),
  };
}

/** Headers are added later, so each response has its own object. */
const nothing = (): HttpResponse => ({ status: 204, headers: {}, body: null });

async function remove(resource: Resource, context: Context): Promise<HttpResponse> {
  const id = await parseId(resource, context.params[0] ?? "");
  const wantsRow = preferencesOf(context.headers.get("prefer")).get("return") === "representation";
  return removeRow(resource, context, id, {
    done: (row, view) => {
      if (!wantsRow) return nothing();
      const headers = { "content-type": "application/json", "preference-applied": "return=representation" };
      return { status: 200, headers, body: JSON.stringify(view.select(row)) };
    },
    absent: nothing,
  });
}

/**
 * Removes a row.
 *
 * @param answers.absent makes the answer for a row that does not exist, unless that is a 404
 */
export function removeRow<Answer>(
  resource: Resource,
  context: Context,
  id: Id,
  { done, absent }: Pick<Change<Answer>, "done"> & { absent(): Answer },
): Promise<Answer> {
  return changeRow(resource, context, id, {
    action: "remove",
    async write(before) {
      const call: RemoveCall = { ...writeCall(context), ifVersion: before._version, before };
      // A store may have found it by another text that its column takes for an equal one.
      return { values: undefined, run: (rows) => rows.remove(before[resource.id.name] as Id, call) };
    },
    done,
    ...(resource.missingDelete === 204 ? { missing: async () => absent(), hidden: absent } : {}),
  });
}
