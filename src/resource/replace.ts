import type { HttpResponse } from "../http/message.js";
import { pointer } from "../http/pointer.js";
import type { Limits } from "../limits/limits.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { type Permit, permit } from "../operation/permit.js";
import { ProblemError } from "../problem/index.js";
import { gateFor } from "../schema/access.js";
import { isPlainObject } from "../schema/wire.js";
import type { Row } from "../storage/collection.js";
import type { Id } from "../storage/scalar.js";
import { changed, changeRow, updateRow } from "./change.js";
import { duplicate } from "./conflict.js";
import { insertRow } from "./create.js";
import { noSuchRow, parseId } from "./identify.js";
import { jsonBody } from "./jsonBody.js";
import { writableMembers } from "./members.js";
import { requirePreconditions } from "./preconditions.js";
import type { Resource } from "./resource.js";
import { singleView } from "./respond.js";
import { validatedRow } from "./validatedRow.js";

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
    fields: isPlainObject(body) ? Object.keys(body) : [],
    done: changed(context),
    missing: () => createNamed(resource, context, id),
    async write(row, allowed) {
      const { input, problems } = writableMembers(resource, withoutId(resource, body, id), context, allowed, row);
      const kept = keptValues(resource, context, allowed, row, input);
      const next = await validatedRow(resource, context, { input: named(resource, input, id), problems, kept });
      return updateRow(resource, context, row, next, true);
    },
  });
}

/**
 * Generated and read-only values stay; so does what this principal's GET does not show and what it may not write, unless the body says otherwise:
 * a PUT of what was got loses nothing.
 */
function keptValues(
  resource: Resource,
  context: Context,
  allowed: Permit,
  row: Row,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const gate = gateFor(context.principal, allowed.fields);
  const values: Record<string, unknown> = {};
  for (const field of resource.fields.values()) {
    if (field === resource.id || field.generator === "updatedAt" || Object.hasOwn(input, field.name)) continue;
    const serverSet = field.generator !== undefined || field.readOnly;
    const unseen = field.heavy || gate(field, "read") !== "allowed" || gate(field, "write") !== "allowed";
    if (serverSet || unseen) values[field.name] = row[field.name];
  }
  return values;
}

/** The path names the row; the same id may stand in the body. */
function withoutId(resource: Resource, body: unknown, id: Id): unknown {
  const name = resource.id.name;
  if (!resource.clientIds || !isPlainObject(body) || !Object.hasOwn(body, name)) return body;
  const { [name]: given, ...others } = body;
  if (given === id || (typeof id === "bigint" && String(given) === id.toString())) return others;
  const detail = `"${name}" differs from the id in the path.`;
  throw new ProblemError("VALIDATION_FAILED", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer: pointer([name]) }] });
}

function named(resource: Resource, input: Readonly<Record<string, unknown>>, id: Id): Record<string, unknown> {
  return resource.clientIds ? { ...input, [resource.id.name]: id } : { ...input };
}

/** `undefined` where somebody else has created the row meanwhile: then it is there to be replaced. */
async function createNamed(resource: Resource, context: Context, id: Id): Promise<HttpResponse | undefined> {
  if (!resource.clientIds) throw noSuchRow(resource, id);
  const { environment, principal, authRequest, body } = context;
  const fields = isPlainObject(body) ? Object.keys(body) : [];
  const allowed = await permit(environment, { principal, authRequest, action: "create", collection: resource.name, fields });
  requirePreconditions(context, resource, undefined, singleView(resource, context, allowed));
  const { input, problems } = writableMembers(resource, withoutId(resource, body, id), context, allowed);
  const row = await validatedRow(resource, context, { input: named(resource, input, id), problems });
  const { outcome, response } = await insertRow(resource, context, row, allowed);
  if (!outcome.ok && outcome.why === "conflict" && !outcome.fields.includes(resource.id.name)) throw duplicate(outcome.fields);
  return response;
}
