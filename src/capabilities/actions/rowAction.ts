import { type Context, readCall, writeCall } from "../../engine/operation/context.js";
import type { Environment } from "../../engine/operation/environment.js";
import { environmentWithin } from "../../engine/operation/environmentWithin.js";
import { outOfScope } from "../../engine/operation/rules/outOfScope.js";
import { readableRows } from "../../engine/operation/rules/readableRows.js";
import { schemaEnvironment } from "../../engine/operation/schemaEnvironment.js";
import { lockedRows } from "../../engine/operation/transaction/lockedRows.js";
import { pauseBefore } from "../../engine/operation/work/retry.js";
import { commit } from "../../engine/operation/write/commit.js";
import { writableRows } from "../../engine/operation/write/writableRows.js";
import { withNamedFields } from "../../engine/operation/write/writeMarks.js";
import type { Responded } from "../../engine/resource/actions.js";
import { wholeProblems } from "../../engine/resource/define/wholeProblems.js";
import { noSuchRow } from "../../engine/resource/read/identify.js";
import { singleView } from "../../engine/resource/read/respond.js";
import { inPathScope } from "../../engine/resource/relations/inPathScope.js";
import type { Resource } from "../../engine/resource/resource.js";
import { changesNothing } from "../../engine/resource/write/changesNothing.js";
import { notChangeable, refusal, writeConflict } from "../../engine/resource/write/conflict.js";
import { refuseProblems } from "../../engine/resource/write/members.js";
import { requirePreconditions } from "../../engine/resource/write/preconditions.js";
import { regenerate, stamp, withUndeclared } from "../../engine/resource/write/rowValues.js";
import { serverValues } from "../../engine/resource/write/serverValues.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Call, Row, RowPatch } from "../../ground/storage/collection.js";
import type { UpdateCall } from "../../ground/storage/completed/rowsOver.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import type { CompiledAction } from "./action.js";
import { askActionRules } from "./actionRules.js";
import { validated } from "./output.js";
import { isResponded } from "./respond.js";
import { runAction } from "./runAction.js";
import { rowInVersion } from "./schemaRow.js";

/** An action on one row, for one caller. */
export interface RowTarget {
  readonly action: CompiledAction;
  /** The collection as the caller sees it: in its version of the API, or with the values of code. */
  readonly resource: Resource;
  /** The environment of the service, outside of transactions and versions. */
  readonly service: Environment;
  readonly context: Context;
  readonly id: Id;
  /** The same in every attempt. */
  readonly operationId: string;
  /** Reads the input. @throws {ProblemError} VALIDATION_FAILED */
  readInput(): Promise<unknown>;
}

/** What an action on a row has done. */
export interface RowOutcome {
  /** What the action responds in place of the row. */
  readonly responded?: Responded | undefined;
  /** The row as it stands, in the form that the caller sees; `undefined` if there is none any more. */
  readonly row: Row | undefined;
  /** Whether the principal may not read the row. */
  readonly isHidden: boolean;
}

/** The row has changed since it was read, on a store that cannot lock it: the transaction must be rolled back and run again. */
export class RowChanged extends Error {
  override readonly name = "RowChanged";
}

/**
 * Runs an action on a row: it judges the row and the input, and again the row within the transaction, where it is locked.
 *
 * @param answer makes the answer within the transaction, so that nothing is committed if it fails
 * @throws {ProblemError} NOT_FOUND, FORBIDDEN, PRECONDITION_REQUIRED, PRECONDITION_FAILED, VALIDATION_FAILED, OUT_OF_SCOPE, WRITE_CONFLICT, HOOK_TIMEOUT, and those of
 * the action
 */
export async function actOnRow<Answer>(target: RowTarget, answer: (outcome: RowOutcome) => Promise<Answer>): Promise<Answer> {
  const { context, action } = target;
  const { environment } = context;
  for (let retry = 0; ; retry++) {
    await askActionRules(context, action);
    const row = await rowOutside(target);
    const input = await target.readInput();
    if (action.method === "GET") return answer(await readWithAction(target, row, input));
    const act = async (tx: Storage | undefined) => {
      if (tx === undefined) throw new Error("An action began without its transaction.");
      return { response: await answer(await performRowAction(target, async () => input, tx)) };
    };
    try {
      return (await commit(context, act, { needsTransaction: true, isolation: action.isolation })).response;
    } catch (error) {
      if (!(error instanceof RowChanged)) throw error;
      if (retry === environment.limits.writeRetries) throw writeConflict(retry + 1);
    }
    await pauseBefore(retry, environment);
  }
}

/**
 * Runs the action within a transaction.
 *
 * @param inputOf called when the row has been judged
 * @throws {RowChanged} if the transaction must run again
 */
export async function performRowAction(target: RowTarget, inputOf: () => Promise<unknown>, tx: Storage): Promise<RowOutcome> {
  const { action, service, context, id, operationId } = target;
  const environment = environmentWithin(schemaEnvironment(context.environment), tx);
  const inner: Context = { ...context, environment, actionName: action.name, way: "action", operationId };
  const row = await lockedRow(target, inner, tx);
  const input = await inputOf();
  const { returned, usedTransaction, enqueue } = await runAction(action, { service, context: inner, operationId, tx, row, input });
  const current = usedTransaction ? await environment.schemaRows(action.resource.name).get(id, writeCall(inner)) : row;
  const responded = isResponded(returned) ? await validated(action, returned) : undefined;
  const changes = responded === undefined && returned !== undefined ? await serverValues(action.resource, action.place, returned) : {};
  if (current === undefined) {
    if (Object.keys(changes).length > 0) throw new ConfigurationError(`${action.place} removed its row and returned changes of it; return nothing.`);
    await enqueue({ collection: action.resource.name, row });
    return { responded, row: undefined, isHidden: false };
  }
  const written = await writeChanges(target, inner, tx, { row: current, changes });
  const isHidden = written.isHidden ?? (current._version !== row._version && !(await stillReadable(inner, action, current, tx)));
  await enqueue({ collection: action.resource.name, row: written.row });
  if (!isHidden) context.shown?.add(action.resource.name, id);
  return { responded, row: await rowInVersion(context.environment, action.resource.name, written.row, id), isHidden };
}

/** Writes what the action returned; a row that stays as it is is not written. */
async function writeChanges(
  { action, id }: RowTarget,
  inner: Context,
  tx: Storage,
  { row, changes: given }: { readonly row: Row; readonly changes: Readonly<Record<string, unknown>> },
): Promise<{ readonly row: Row; readonly isHidden?: boolean | undefined }> {
  const { resource } = action;
  const changes = withUndeclared(resource.fields, row, { ...given });
  if (action.restores !== true && changesNothing(resource, row, changes)) return { row };
  if (resource.validateWhole !== undefined) refuseProblems(await wholeProblems(resource, { ...row, ...changes }));
  const { environment } = inner;
  const now = new Date(environment.clock.now());
  const values: RowPatch = { ...changes, ...regenerate(resource, now), ...stamp(environment, now) };
  const patch = withNamedFields(environment, resource.name, values, Object.keys(changes));
  const call: UpdateCall = { ...ofRow(action, writeCall(inner)), ifVersion: row._version, before: row };
  const outcome = await writableRows(inner, resource.model, tx).update(id, patch, call);
  if (outcome.ok) return { row: outcome.row, isHidden: outcome.isHidden === true };
  throw refusal(outcome) ?? new RowChanged("The row changed while the action ran.");
}

/** Runs a GET, which has no transaction. */
async function readWithAction({ action, service, context, id, operationId }: RowTarget, row: Row, input: unknown): Promise<RowOutcome> {
  const { storage } = context.environment;
  const { returned } = await runAction(action, { service, context, operationId, tx: storage, row, input });
  if (returned === undefined) return { row: await rowInVersion(context.environment, action.resource.name, row, id), isHidden: false };
  if (!isResponded(returned))
    throw new ConfigurationError(`${action.place} is a GET, which cannot change its row; return respond(value), or nothing.`);
  return { responded: await validated(action, returned), row, isHidden: false };
}

/** The row before the transaction. */
async function rowOutside(target: RowTarget): Promise<Row> {
  const { action, context, id } = target;
  const environment = schemaEnvironment(context.environment);
  const rows = await readableRows({ environment, scopes: context.scopes }, action.resource.name);
  return requireUsable(target, context, environment.storage, await rows.get(id, ofRow(action, readCall(context))));
}

/** The call, where an action is about deleted rows. */
function ofRow({ restores }: CompiledAction, call: Call): Call {
  return restores ? Object.assign(call, { deleted: "only" as const }) : call;
}

/**
 * The row, judged again, and locked until the transaction ends: two actions on it come one after the other. A store that has no locks changes its version, which
 * no other transaction can do meanwhile.
 */
async function lockedRow(target: RowTarget, inner: Context, tx: Storage): Promise<Row> {
  const { action, id } = target;
  const { resource } = action;
  const call = ofRow(action, writeCall(inner));
  const rows = await readableRows(inner, resource.name);
  const found = await (rows.can.sharedLocks === true ? lockedRows(rows, tx, resource.id.name, "update") : rows).get(id, call);
  const row = await requireUsable(target, inner, tx, found);
  if (rows.can.sharedLocks === true) return row;
  const touch: RowPatch = { _version: inner.environment.ids.ulid(), _updatedAt: row._updatedAt };
  const pinned: UpdateCall = { ...call, ifVersion: row._version };
  const outcome = await inner.environment.schemaRows(resource.name).update(id, touch, pinned);
  if (!outcome.ok) throw new RowChanged("The row changed before the action ran.");
  return outcome.row;
}

/** @throws {ProblemError} NOT_FOUND, FORBIDDEN, PRECONDITION_REQUIRED, PRECONDITION_FAILED */
async function requireUsable({ action, resource, id }: RowTarget, context: Context, storage: Storage, row: Row | undefined): Promise<Row> {
  if (row === undefined || !inPathScope(context, row)) throw noSuchRow(resource, id);
  const scope = context.scopes?.answer(action.resource.name, action.name, "before");
  if (scope !== undefined && !(await scope.includes(row, { storage }, readCall(context)))) throw notChangeable();
  if (action.method === "POST") await requirePreconditions(context, resource, row, singleView(resource, context, context.permit));
  return row;
}

/** A row that the action has changed by its transaction is judged as it stands. @throws {ProblemError} OUT_OF_SCOPE */
async function stillReadable(
  { scopes, ...context }: Context,
  { resource: { name }, name: action }: CompiledAction,
  row: Row,
  tx: Storage,
): Promise<boolean> {
  if (scopes === undefined) return true;
  const call = writeCall({ scopes, ...context });
  if (!(await scopes.answer(name, action, "after").includes(row, { storage: tx }, call))) throw outOfScope();
  return scopes.answer(name, "read", "before").includes(row, { storage: tx }, call);
}
