import { preferencesOf } from "../../../ground/http/headers/preferences.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import type { Row } from "../../../ground/storage/collection.js";
import { type Context, writeCall } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import { type Permit, permit } from "../../operation/permit.js";
import { prepareWrite } from "../../operation/rules/prepareWrite.js";
import { type Committed, commitWrite, type PlannedWrite } from "../../operation/write/commit.js";
import { bare, locationOf, representation, singleView, unseen } from "../read/respond.js";
import type { Resource } from "../resource.js";
import { duplicate, refusal } from "./conflict.js";
import { jsonBody } from "./jsonBody.js";
import { writableMembers } from "./members.js";
import { existsAlready } from "./preconditions.js";
import { validatedRow } from "./validatedRow.js";
import { withEffect } from "./withEffect.js";

/** POST to a collection: one new row. */
export function createOperation(resource: Resource, limits: Limits): Operation {
  return {
    name: `${resource.name}.create`,
    method: "POST",
    access: { action: "create", collection: resource.name },
    answers: "row",
    requiresKey: resource.requireIdempotencyKey,
    ...(resource.create === undefined ? {} : { hasOwnEffects: true as const }),
    body: jsonBody(limits),
    run: (context) => createRow(resource, context, context.body, (row, allowed, isHidden) => created(resource, context, row, allowed, isHidden)),
  };
}

/** A row that may be inserted. */
export interface ValidatedCreate {
  readonly row: Row;
  readonly permit: Permit;
}

/**
 * Validates a body as a new row, without writing it.
 *
 * @throws {ProblemError} VALIDATION_FAILED, FORBIDDEN, FORBIDDEN_FIELD, NOT_FOUND
 */
export async function validateCreate(resource: Resource, context: Context, body: unknown): Promise<ValidatedCreate> {
  const allowed = await permitCreate(resource, context, body);
  const { input, problems } = writableMembers(resource, body, context, allowed);
  return { row: await validatedRow(resource, context, { input, problems }), permit: allowed };
}

/** Makes the answer from an inserted row. @param isHidden whether the principal may not read it */
export type CreateAnswer<Answer> = (row: Row, allowed: Permit, isHidden: boolean) => Answer;

/**
 * Validates a body as a new row, runs the developer's effect and inserts the row.
 *
 * @param answer makes the answer from the inserted row
 * @throws {ProblemError} VALIDATION_FAILED, FORBIDDEN, FORBIDDEN_FIELD, DUPLICATE_<FIELD>, UNKNOWN_REFERENCE, PRECONDITION_FAILED
 */
export async function createRow<Answer>(resource: Resource, context: Context, body: unknown, answer: CreateAnswer<Answer>): Promise<Answer> {
  const asked = prepareWrite(context, resource, "create");
  if (asked !== undefined) await asked;
  const { row: valid, permit: allowed } = await validateCreate(resource, context, body);
  const row = resource.create === undefined ? valid : await withEffect(resource, resource.create, context, valid);
  const { outcome, response } = await commitInsert(resource, context, row, (inserted, isHidden) => answer(inserted, allowed, isHidden));
  if (response !== undefined) return response;
  const isTaken = !outcome.ok && outcome.why === "conflict";
  if (isTaken && context.headers.get("if-none-match")?.trim() === "*") throw existsAlready();
  throw refusal(outcome) ?? duplicate(resource.idNames);
}

/** Calls `authorize` again, now with the fields of the body. */
export function permitCreate(resource: Resource, context: Context, body: unknown): Promise<Permit> | Permit {
  const { environment, principal, authRequest } = context;
  if (environment.authorize === undefined || typeof body !== "object" || body === null) return context.permit;
  return permit(environment, { principal, authRequest, action: "create", collection: resource.name, fields: Object.keys(body) });
}

/** Inserts the row and makes the response; the store decides whether a key is taken. */
export function insertRow(resource: Resource, context: Context, row: Row, allowed: Permit): Promise<Committed> {
  return commitInsert(resource, context, row, (inserted, isHidden) => created(resource, context, inserted, allowed, isHidden));
}

/** Inserts the row and makes any answer of it. */
export function commitInsert<Answer>(
  resource: Resource,
  context: Context,
  row: Row,
  answer: (inserted: Row, isHidden: boolean) => Answer,
): Promise<Committed<Answer>> {
  const call = context.insertsUnderOperationId ? { ...writeCall(context), operationId: context.operationId } : writeCall(context);
  const run: PlannedWrite["run"] = (rows, ends) => rows.insert(row, ends === undefined ? call : { ...call, ends });
  return commitWrite(context, resource.model, { values: row, inserts: true, run }, answer);
}

/** 201 with what the principal may read of the new row. */
export function created(resource: Resource, context: Context, row: Row, allowed: Permit, isHidden: boolean): HttpResponse {
  const view = singleView(resource, context, allowed);
  const location = locationOf(resource, row, context);
  if (isHidden) return unseen(201, { location });
  if (preferencesOf(context.headers.get("prefer")).get("return") === "minimal") {
    return bare(201, row, view, { location, "preference-applied": "return=minimal" });
  }
  return representation(201, row, view, { location });
}
