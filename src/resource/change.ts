import type { Action } from "../auth/authorize.js";
import type { View } from "../fields/view.js";
import { parseHttpDate } from "../http/dates.js";
import type { HttpResponse } from "../http/message.js";
import { parsePrefer } from "../http/prefer.js";
import { commitWrite } from "../operation/commit.js";
import { type Context, readCall, writeCall } from "../operation/context.js";
import type { Permit } from "../operation/permit.js";
import { pauseBefore } from "../operation/retry.js";
import type { Collection, Row, RowPatch } from "../storage/collection.js";
import type { Outcome } from "../storage/outcome.js";
import type { Id } from "../storage/scalar.js";
import { duplicate, writeConflict } from "./conflict.js";
import { noSuchRow } from "./identify.js";
import { inScope } from "./inScope.js";
import { permitRow } from "./permitRow.js";
import { preconditionFailed, requirePreconditions } from "./preconditions.js";
import type { Resource } from "./resource.js";
import { bare, representation, singleView } from "./respond.js";

/** Writes on the rows of the transaction that it is given. */
export type RowWrite = (rows: Required<Collection>) => Promise<Outcome<Row>>;

/** A write to one existing row, as a function of the row as it stands. */
export interface Change {
  readonly action: Action;
  /** Fields that the request names, for `authorize`. */
  readonly fields?: readonly string[] | undefined;
  /** Writes on condition that the row still has its version. */
  write(row: Row, permit: Permit): Promise<RowWrite>;
  /** The answer where there is no such row, `undefined` where one has come meanwhile; without it 404. */
  missing?(): Promise<HttpResponse | undefined>;
  /** The answer where there is a row that the principal must not hear of, or one of another parent; without it 404. */
  hidden?(): HttpResponse;
  /** The answer after the write. */
  done(row: Row, view: View): HttpResponse;
}

/**
 * Reads the row, judges permission and preconditions, and writes with compare-and-set.
 *
 * A row that changed meanwhile is read again after a pause, `writeRetries` times at most; under If-Match once is final, since the client asked for
 * that very version.
 *
 * @throws {ProblemError} NOT_FOUND, FORBIDDEN, PRECONDITION_REQUIRED, PRECONDITION_FAILED, WRITE_CONFLICT, DUPLICATE_<FIELD>
 */
export async function changeRow(resource: Resource, context: Context, id: Id, change: Change): Promise<HttpResponse> {
  const { environment } = context;
  const { writeRetries } = environment.limits;
  for (let retry = 0; ; retry++) {
    const answer = await tryChange(resource, context, id, change);
    if (answer !== undefined) return answer;
    if (retry === writeRetries) throw writeConflict(retry + 1);
    await pauseBefore(retry, environment);
  }
}

/** One try; `undefined` where the row has changed between reading and writing. */
async function tryChange(resource: Resource, context: Context, id: Id, change: Change): Promise<HttpResponse | undefined> {
  const row = await context.environment.collection(resource.name).get(id, readCall(context));
  if (row === undefined) {
    if (change.missing) return change.missing();
    throw noSuchRow(resource, id);
  }
  const permit = inScope(context, row) ? await permitRow(context, resource, change.action, row, change.fields) : undefined;
  if (permit === undefined) {
    if (change.hidden) return change.hidden();
    throw noSuchRow(resource, id);
  }
  const view = singleView(resource, context, permit);
  requirePreconditions(context, resource, row, view);
  const write = await change.write(row, permit);
  const { outcome, response } = await commitWrite(context, resource.model, write, (written) => change.done(written, view));
  if (response !== undefined || outcome.ok) return response;
  if (outcome.why === "conflict") throw duplicate(outcome.fields);
  // A row that is gone by now is looked for once more, and then missing.
  if (isConditional(context) && outcome.why !== "missing") throw preconditionFailed(outcome.why === "stale" ? outcome.current : undefined, view);
  return undefined;
}

/** Sets columns of a row that still has the version that was read. */
export function updateRow(resource: Resource, context: Context, row: Row, patch: RowPatch, replace = false): RowWrite {
  const id = row[resource.id.name] as Id;
  return (rows) => rows.update(id, patch, { ...writeCall(context), ifVersion: row._version, replace });
}

/** 200 with the row as it is now, or 204 where the client wants no body. */
export function changed(context: Context): (row: Row, view: View) => HttpResponse {
  const minimal = parsePrefer(context.headers.get("prefer")).return === "minimal";
  return (row, view) => (minimal ? bare(204, row, view, { "preference-applied": "return=minimal" }) : representation(200, row, view));
}

function isConditional({ headers }: Context): boolean {
  const since = headers.get("if-unmodified-since");
  return headers.get("if-match") !== undefined || (since !== undefined && parseHttpDate(since) !== undefined);
}
