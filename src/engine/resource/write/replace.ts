import { isObject } from "../../../ground/http/isObject.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { pointer } from "../../../ground/http/pointer.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { invalidBody } from "../../../ground/problem/index.js";
import type { Row } from "../../../ground/storage/collection.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { gateFor } from "../../../language/schema/access.js";
import { keyRequired } from "../../../parts/idempotency/key.js";
import { type Context, readCall } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import { type Permit, permit } from "../../operation/permit.js";
import { prepareWrite } from "../../operation/rules/prepareWrite.js";
import { readableRows } from "../../operation/rules/readableRows.js";
import { isMade } from "../generators.js";
import { idMembers, noSuchRow, parseId } from "../read/identify.js";
import { singleView } from "../read/respond.js";
import type { Resource } from "../resource.js";
import { type Change, changed, changeRow, unchanged, updateRow } from "./change.js";
import { changesNothing, keepFinerInstants } from "./changesNothing.js";
import { refusal } from "./conflict.js";
import { type CreateAnswer, commitInsert, created } from "./create.js";
import { jsonBody } from "./jsonBody.js";
import { writableMembers } from "./members.js";
import { existsAlready, requirePreconditions } from "./preconditions.js";
import { inputOf } from "./rowValues.js";
import { validatedRow } from "./validatedRow.js";
import { withEffect } from "./withEffect.js";

/** PUT of one row: replaces what GET shows. Creates the row if clients choose ids. */
export function replaceOperation(resource: Resource, limits: Limits): Operation {
  return {
    name: `${resource.name}.replace`,
    method: "PUT",
    access: { action: "replace", collection: resource.name },
    answers: "row",
    ...(mayCreate(resource) && resource.create !== undefined ? { hasOwnEffects: true as const } : {}),
    body: jsonBody(limits),
    run: (context) => replace(resource, context),
  };
}

async function replace(resource: Resource, context: Context): Promise<HttpResponse> {
  const id = await parseId(resource, context.params[0] ?? "");
  return replaceRow(resource, context, { id, body: context.body }, changed(context), (row, allowed, isHidden) =>
    created(resource, context, row, allowed, isHidden),
  );
}

/** A replacement of the row that has the id. */
export interface Replacement {
  readonly id: Id;
  readonly body: unknown;
}

/**
 * Replaces a row, or creates it if clients choose ids.
 *
 * @param done makes the answer of a replaced row
 * @param inserted makes the answer of a new row
 */
export function replaceRow<Answer>(
  resource: Resource,
  context: Context,
  replacement: Replacement,
  done: Change<Answer>["done"],
  inserted: CreateAnswer<Answer>,
): Promise<Answer> {
  const { id, body } = replacement;
  return changeRow(resource, context, id, {
    action: "replace",
    fields: isObject(body) ? Object.keys(body) : [],
    done,
    missing: () => createNamed(resource, context, replacement, inserted),
    async write(row, allowed) {
      const { input, problems } = writableMembers(resource, withoutId(resource, body, id), context, allowed, row);
      const kept = keptValues(resource, context, allowed, row, input);
      const next = await validatedRow(resource, context, { input: named(resource, input, id), problems, kept, replaced: row });
      keepFinerInstants(resource, row, next);
      return changesNothing(resource, row, next, true, context.scopes !== undefined) ? unchanged(row) : updateRow(resource, context, row, next, true);
    },
  });
}

/**
 * Generated and read-only values stay, and so do values that this principal's GET does not show or that it may not write, unless the body names them:
 * sending back the result of a GET loses nothing.
 */
function keptValues(
  resource: Resource,
  context: Context,
  allowed: Permit,
  row: Row,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const gate = gateFor(context.principal, allowed.fields);
  const values: Record<string | symbol, unknown> = {};
  // A version of the API keeps there what it made the row from.
  for (const symbol of Object.getOwnPropertySymbols(row)) values[symbol] = Reflect.get(row, symbol);
  for (const field of resource.fields.values()) {
    if (field === resource.id || field.generator === "updatedAt" || Object.hasOwn(input, field.name)) continue;
    const unseen = field.heavy || gate(field, "read") !== "allowed" || gate(field, "write") !== "allowed";
    if (isMade(field) || unseen) values[field.name] = row[field.name];
  }
  return values;
}

/** The path names the row; the body may contain the same id. */
function withoutId(resource: Resource, body: unknown, id: Id): unknown {
  if (!isObject(body)) return body;
  const others = { ...body };
  for (const [name, value] of Object.entries(clientMembers(resource, id))) {
    if (!Object.hasOwn(others, name)) continue;
    if (inputOf(resource.fields.get(name) as Resource["id"], others[name]) !== value)
      throw invalidBody(`"${name}" differs from the id in the path.`, pointer([name]));
    delete others[name];
  }
  return others;
}

/** The members of the id that clients choose. */
function clientMembers(resource: Resource, id: Id): Record<string, Id> {
  return Object.fromEntries(Object.entries(idMembers(resource, id)).filter(([name]) => resource.fields.get(name)?.generator === undefined));
}

function named(resource: Resource, input: Readonly<Record<string, unknown>>, id: Id): Record<string, unknown> {
  return { ...input, ...clientMembers(resource, id) };
}

function mayCreate({ clientIds, operations }: Resource): boolean {
  return clientIds && operations.has("create");
}

/**
 * Creates the row by the rules of POST. Returns `undefined` if another request has created it meanwhile: then it can be replaced.
 *
 * @throws {ProblemError} NOT_FOUND if clients cannot create rows; IDEMPOTENCY_KEY_REQUIRED; DUPLICATE_<FIELD> also for the id if the developer's
 * effect has already happened, because it must not happen again
 */
async function createNamed<Answer>(
  resource: Resource,
  context: Context,
  { id, body }: Replacement,
  answer: CreateAnswer<Answer>,
): Promise<Answer | undefined> {
  if (!mayCreate(resource)) throw noSuchRow(resource, id);
  if (resource.requireIdempotencyKey && context.isKeyed !== true) throw keyRequired();
  await prepareWrite(context, resource, "create");
  const { environment, principal, authRequest } = context;
  const fields = isObject(body) ? Object.keys(body) : [];
  const allowed = await permit(environment, { principal, authRequest, action: "create", collection: resource.name, fields });
  await requirePreconditions(context, resource, undefined, singleView(resource, context, allowed));
  const { input, problems } = writableMembers(resource, withoutId(resource, body, id), context, allowed);
  const valid = await validatedRow(resource, context, { input: named(resource, input, id), problems });
  const row = resource.create === undefined ? valid : await withEffect(resource, resource.create, context, valid);
  const { outcome, response } = await commitInsert(resource, context, row, (inserted, isHidden) => answer(inserted, allowed, isHidden));
  const isTaken = !outcome.ok && outcome.why === "conflict" && resource.idNames.every((name) => outcome.fields.includes(name));
  if (isTaken && context.headers.get("if-none-match")?.trim() === "*") throw existsAlready();
  // A row that the principal may not read stays where it is, and looks like a taken id.
  const isThere = isTaken && resource.create === undefined && (await isReadable(resource, context, id));
  const refused = isThere ? undefined : refusal(outcome);
  if (refused !== undefined) throw refused;
  return response;
}

/** Whether the row can be replaced after all, as it was created meanwhile. It cannot if a scope, a policy of the database or its deletion hides it. */
async function isReadable({ name }: Resource, context: Context, id: Id): Promise<boolean> {
  const rows = await readableRows(context, name);
  return (await rows.get(id, readCall(context))) !== undefined;
}
