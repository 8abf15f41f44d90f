import type { HttpResponse } from "../http/message.js";
import type { Limits } from "../limits/limits.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { permit } from "../operation/permit.js";
import { ProblemError } from "../problem/index.js";
import { permission } from "../schema/access.js";
import type { Row } from "../storage/collection.js";
import { changed, changeRow, updateRow } from "./change.js";
import { duplicate } from "./conflict.js";
import { created, insertRow, validatedRow } from "./create.js";
import { noSuchRow, parseId } from "./identify.js";
import { jsonBody } from "./jsonBody.js";
import { preconditionFailed, requirePreconditions } from "./load.js";
import { writableMembers } from "./members.js";
import type { Resource } from "./resource.js";
import { singleView } from "./respond.js";

/** PUT of one row: what GET shows of it is replaced. Creates it where clients name their ids. */
export function replaceOperation(resource: Resource, limits: Limits): Operation {
  return {
    name: `${resource.name}.replace`,
    method: "PUT",
    safety: "idempotent",
    access: { action: "replace", collection: resource.name },
    body: jsonBody(limits),
    run: (context) => replace(resource, context),
  };
}

async function replace(resource: Resource, context: Context): Promise<HttpResponse> {
  const id = await parseId(resource, context.params[0] ?? "");
  const { body } = context;
  return changeRow(resource, context, id, {
    action: "replace",
    fields: typeof body === "object" && body !== null ? Object.keys(body) : [],
    done: changed(context),
    missing: () => createNamed(resource, context, id),
    async write(row, allowed) {
      const { input, problems } = writableMembers(resource, withoutId(resource, body, id), context, allowed, row);
      const next = await validatedRow(resource, context, input, problems);
      return updateRow(resource, context, row, { ...next, ...kept(resource, context, row, input) }, true);
    },
  });
}

/** Generated and read-only values stay; so does what this principal's GET does not show, unless the body says otherwise: a PUT of what was got loses nothing. */
function kept(resource: Resource, context: Context, row: Row, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of resource.fields.values()) {
    const serverSet = (field.generator !== undefined && field.generator !== "updatedAt") || field.readOnly;
    const unseen = field.heavy || permission(field.access, "read", context.principal) !== "allowed";
    if (serverSet || (unseen && !Object.hasOwn(input, field.name))) values[field.name] = row[field.name];
  }
  return values;
}

/** The id in the path names the row; the same id may stand in the body. */
function withoutId(resource: Resource, body: unknown, id: unknown): unknown {
  if (!resource.clientIds || typeof body !== "object" || body === null) return body;
  const { [resource.id.name]: given, ...others } = body as Record<string, unknown>;
  if (given === undefined || String(given) === String(id)) return { ...others, [resource.id.name]: given ?? id };
  const detail = `"${resource.id.name}" differs from the id in the path.`;
  throw new ProblemError("VALIDATION_FAILED", detail, {
    errors: [{ code: "INVALID_VALUE", detail, pointer: `/${resource.id.name}` }],
  });
}

async function createNamed(resource: Resource, context: Context, id: string | number | bigint): Promise<HttpResponse> {
  if (!resource.clientIds) throw noSuchRow(resource, id);
  const { environment, principal, authRequest, permit: coarse } = context;
  const view = singleView(resource, context, coarse);
  requirePreconditions(context, resource, undefined, view);
  const allowed = await permit(environment, { principal, authRequest, action: "create", collection: resource.name });
  const { input, problems } = writableMembers(resource, withoutId(resource, context.body, id), context, allowed);
  const outcome = await insertRow(resource, context, await validatedRow(resource, context, input, problems));
  if (outcome.ok) return created(resource, context, outcome.row, allowed);
  if (context.headers.get("if-none-match") !== undefined) throw preconditionFailed(undefined, view);
  throw duplicate(outcome.why === "conflict" ? outcome.fields : [resource.id.name]);
}
