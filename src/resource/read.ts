import { strongTag } from "../conditional/etag.js";
import { checkPreconditions } from "../conditional/precondition.js";
import { type Context, readCall } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { noSuchRow, parseId } from "./identify.js";
import { permitRow } from "./permitRow.js";
import { preconditionFailed } from "./preconditions.js";
import type { Resource } from "./resource.js";
import { bare, representation, singleView } from "./respond.js";

/** GET of one row; the version is the tag, so a 304 needs neither body nor hash. */
export function readOperation(resource: Resource): Operation {
  return {
    name: `${resource.name}.read`,
    method: "GET",
    safety: "safe",
    access: { action: "read", collection: resource.name },
    run: (context) => read(resource, context),
  };
}

async function read(resource: Resource, context: Context) {
  const id = await parseId(resource, context.params[0] ?? "");
  const row = await context.environment.collection(resource.name).get(id, readCall(context));
  if (row === undefined) throw noSuchRow(resource, id);
  const allowed = await permitRow(context, resource, "read", row);
  if (allowed === undefined) throw noSuchRow(resource, id);
  const view = singleView(resource, context, allowed);
  const current = { tag: strongTag(row._version, view.tag), updatedAt: row._updatedAt };
  switch (checkPreconditions({ method: "GET", headers: context.headers, current, acceptWeakIfMatch: resource.acceptWeakIfMatch })) {
    case "not-modified":
      return bare(304, row, view);
    case "failed":
      throw preconditionFailed(row, view);
    default:
      return representation(200, row, view);
  }
}
