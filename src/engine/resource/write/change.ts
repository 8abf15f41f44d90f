import { parseHttpDate } from "../../../ground/http/headers/dates.js";
import { preferencesOf } from "../../../ground/http/headers/preferences.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Row, RowPatch } from "../../../ground/storage/collection.js";
import type { UpdateCall } from "../../../ground/storage/completed/rowsOver.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { View } from "../../../language/fields/view.js";
import type { Action } from "../../../parts/auth/authorize.js";
import { type Context, readCall, writeCall } from "../../operation/context.js";
import type { Permit } from "../../operation/permit.js";
import { prepareWrite } from "../../operation/rules/prepareWrite.js";
import { readableRows } from "../../operation/rules/readableRows.js";
import { requireAsSeen } from "../../operation/transaction/seenVersions.js";
import { pauseBefore } from "../../operation/work/retry.js";
import { commitWrite, type PlannedWrite } from "../../operation/write/commit.js";
import { noSuchRow } from "../read/identify.js";
import { bare, representation, singleView, unseen } from "../read/respond.js";
import { inPathScope } from "../relations/inPathScope.js";
import type { Resource } from "../resource.js";
import { refusal, writeConflict } from "./conflict.js";
import { permitFields } from "./permitFields.js";
import { preconditionFailed, requirePreconditions } from "./preconditions.js";
import { requireChangeable } from "./requireChangeable.js";

/** A write to one existing row, as a function of its current state. A request is answered with a response, a call from code with a row. */
export interface Change<Answer = HttpResponse> {
  readonly action: Action;
  /** Fields that the request names, for `authorize`. */
  readonly fields?: readonly string[] | undefined;
  /** How often it is tried again if the row has changed meanwhile; defaults to the limit `writeRetries`. */
  readonly maxRetries?: number | undefined;
  /** Whether what it writes is made of the row as it stands, and not of what code has read before. */
  readonly readsRow?: true | undefined;
  /** Writes if the row still has its version. */
  write(row: Row, permit: Permit): Promise<PlannedWrite>;
  /** The answer if the row does not exist, `undefined` if it was created meanwhile; 404 if absent. */
  missing?(): Promise<Answer | undefined>;
  /** The answer for a row of another parent; 404 if absent. */
  hidden?(): Answer;
  /** The answer after the write. @param isHidden whether the principal may not read the row any more */
  done(row: Row, view: View, isHidden: boolean): Answer;
}

/**
 * Reads the row, evaluates permissions and preconditions, and writes with compare-and-set.
 *
 * A row that changed meanwhile is read again after a pause, at most `writeRetries` times. With If-Match there is no retry, because the client requires
 * exactly that version.
 *
 * @throws {ProblemError} NOT_FOUND, FORBIDDEN, PRECONDITION_REQUIRED, PRECONDITION_FAILED, WRITE_CONFLICT, DUPLICATE_<FIELD>, UNKNOWN_REFERENCE, ROW_IN_USE
 */
export async function changeRow<Answer>(resource: Resource, context: Context, id: Id, change: Change<Answer>): Promise<Answer> {
  const { environment } = context;
  const { maxRetries = environment.limits.writeRetries } = change;
  for (let retry = 0; ; retry++) {
    const answer = await tryChange(resource, context, id, change);
    if (answer !== undefined) return answer;
    if (retry === maxRetries) throw writeConflict(retry + 1);
    await pauseBefore(retry, environment);
  }
}

/** One attempt; `undefined` if the row has changed between reading and writing. */
async function tryChange<Answer>(resource: Resource, context: Context, id: Id, change: Change<Answer>): Promise<Answer | undefined> {
  const { action, fields } = change;
  const { environment, principal } = context;
  const kind = action === "remove" ? "remove" : "update";
  const asked = prepareWrite(context, resource, kind);
  if (asked !== undefined) await asked;
  const readable = readableRows(context, resource.name);
  const rows = readable instanceof Promise ? await readable : readable;
  const row = await rows.get(id, readCall(context));
  if (row === undefined) {
    if (change.missing) return change.missing();
    throw noSuchRow(resource, id);
  }
  const permitted = fields === undefined ? context.permit : permitFields(context, resource, action, fields);
  const permit = inPathScope(context, row) ? (permitted instanceof Promise ? await permitted : permitted) : undefined;
  if (permit === undefined) {
    if (change.hidden) return change.hidden();
    throw noSuchRow(resource, id);
  }
  const view = singleView(resource, context, permit);
  const changeable = requireChangeable(context, resource, kind, row);
  if (changeable !== undefined) await changeable;
  const required = requirePreconditions(context, resource, row, view);
  if (required !== undefined) await required;
  if (change.readsRow !== true)
    requireAsSeen(environment.storage, { collection: resource.name, tenant: principal.tenant }, row[resource.id.name] as Id, row._version);
  const write = await change.write(row, permit);
  const { outcome, response } = await commitWrite(context, resource.model, write, (written, isHidden) => change.done(written, view, isHidden));
  if (response !== undefined || outcome.ok) return response;
  const refused = refusal(outcome);
  if (refused !== undefined) throw refused;
  // A row that was removed meanwhile is read once more, and is then missing.
  if (isConditional(context) && outcome.why !== "missing") throw preconditionFailed(outcome.why === "stale" ? outcome.current : undefined, view);
  return undefined;
}

/** Sets columns of a row if it still has the version that was read. */
export function updateRow(resource: Resource, context: Context, row: Row, patch: RowPatch, replace = false): PlannedWrite {
  const id = row[resource.id.name] as Id;
  const call: UpdateCall = { ...writeCall(context), ifVersion: row._version, replace, before: row };
  return { values: patch, run: (rows) => rows.update(id, patch, call) };
}

/** A write that changes nothing: the row keeps its version, and nothing runs for it. */
export function unchanged(row: Row): PlannedWrite {
  return { values: {}, run: async () => ({ ok: true, row }), isUnchanged: true };
}

/** 200 with the new row, or 204 if the client wants no body. */
export function changed(context: Context): Change["done"] {
  const minimal = preferencesOf(context.headers.get("prefer")).get("return") === "minimal";
  return (row, view, isHidden) =>
    isHidden ? unseen(204) : minimal ? bare(204, row, view, { "preference-applied": "return=minimal" }) : representation(200, row, view);
}

function isConditional({ headers }: Context): boolean {
  const since = headers.get("if-unmodified-since");
  return headers.get("if-match") !== undefined || (since !== undefined && parseHttpDate(since) !== undefined);
}
