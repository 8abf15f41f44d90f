import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Collection, Row } from "../../../ground/storage/collection.js";
import type { IdempotencyStore } from "../../../ground/storage/idempotency.js";
import type { Storage } from "../../../ground/storage/storage.js";
import { ownerId } from "../../../parts/idempotency/fingerprint.js";
import { fingerprintInTurns } from "../../../parts/idempotency/fingerprintInTurns.js";
import { type HeldOperation, performIdempotent } from "../../../parts/idempotency/performIdempotent.js";
import { requestHead } from "../../../parts/idempotency/requestHead.js";
import type { Context } from "../../operation/context.js";
import { failure } from "../../operation/faults/failure.js";
import { type Operation, takesKey } from "../../operation/operation.js";
import { ShownRows } from "../../operation/rules/shownRows.js";
import type { Committed, Join, PlannedWrite, RunInsert } from "../../operation/write/commit.js";
import { readableFields } from "../../resource/read/readableFields.js";
import type { Resource } from "../../resource/resource.js";
import { type IdempotentKey, keyIdOf } from "./key.js";
import type { Pipeline } from "./pipeline.js";
import { requireReadable } from "./requireReadable.js";

/** Runs the operation once for all requests with the key. */
export async function runIdempotent(
  { resources }: Pipeline,
  operation: Operation,
  context: Context,
  { key, operationId, waitMs }: IdempotentKey,
): Promise<HttpResponse> {
  const { environment, request, principal, requestId } = context;
  const { idempotency, ids, logger } = environment;
  if (idempotency === undefined) return operation.run({ ...context, operationId, insertsUnderOperationId: operationId !== undefined });
  const shown = context.scopes && new ShownRows(context.scopes);
  const fingerprint = await requestFingerprint(context);
  const keyed = {
    id: keyIdOf(principal, { key }),
    // The body contains a secret: signing prevents guessing it from the fingerprint.
    fingerprint: operation.sealAnswers ? environment.secrets.sign("fingerprint", fingerprint) : fingerprint,
    owner: ownerId(principal.tenant, principal.id),
    scopes: principal.scopes,
    readable: await readableIn(resources, operation, context),
    operationId: operationId ?? ids.ulid(),
  };
  const { leaseMs = idempotency.leaseMs, ttlMs = idempotency.ttlMs } = operation.keyTimes?.(context) ?? {};
  const response = await performIdempotent(
    {
      ...idempotency,
      store: sealed(operation, context, idempotency.store),
      leaseMs: Math.max(leaseMs, idempotency.leaseMs),
      ttlMs: Math.max(ttlMs, idempotency.ttlMs),
      waitMs: waitMs ?? idempotency.waitMs,
    },
    keyed,
    {
      run: (held) =>
        operation.run({
          ...context,
          shown,
          operationId: held.isRecorded ? held.operationId : operationId,
          ...joining(operation, context, idempotency.sharesTransactions, held),
        }),
      isRefusal,
      rows: () => (shown === undefined ? [] : shown.ids),
      async requireReadable(rows) {
        await requireReadable(context, rows);
        shown?.addAll(rows);
      },
      onlyReads: !takesKey(operation),
      answerTo: (error) => (operation.forgetsRefusals !== true && isOutcome(error) ? failure(environment, request, requestId, error) : undefined),
      warn: (error, message) => logger.error({ err: error, requestId }, message),
    },
    environment,
  );
  // The answer of an operation of a batch is a part of the answer of the batch.
  context.shown?.addAll(shown?.ids ?? []);
  return response;
}

/** The record commits with the write if they share a transaction. Otherwise the store accepts inserts under one operation id only once. */
function joining(
  operation: Operation,
  context: Context,
  sharesTransactions: boolean,
  held: HeldOperation,
): Pick<Context, "joins" | "insertsUnderOperationId"> {
  if (!sharesTransactions) return { joins: [], insertsUnderOperationId: true };
  const record = async (tx: Storage, response: HttpResponse) => {
    if (tx.idempotency === undefined) throw new Error("The storage keeps records, but its transactions do not.");
    await held.record(sealed(operation, context, tx.idempotency), response);
  };
  const { end } = held;
  // A sealed answer is written by its own store; scopes and versions of the API do more with a row than to insert it.
  const isPlain = operation.sealAnswers === undefined && context.scopes === undefined && context.environment.version === undefined;
  const join: Join = isPlain && end !== undefined ? Object.assign(record, { insert: insertWith(end) }) : record;
  return { joins: [join] };
}

/** Inserts that end the operation. */
function insertWith(end: NonNullable<HeldOperation["end"]>): RunInsert {
  return <Answer>(rows: Required<Collection>, run: PlannedWrite["run"], answer: (row: Row, isHidden: boolean) => Answer) => {
    if (rows.can.endsOperations !== true) return undefined;
    let response: Answer;
    const ends = (row: Row) => {
      response = answer(row, false);
      return end(response as HttpResponse);
    };
    return run(rows, ends).then((outcome): Committed<Answer> => (outcome.ok ? { outcome, response } : { outcome }));
  };
}

/** 5xx problems that mean that nothing was done, in addition to all 4xx problems. */
const harmless: ReadonlySet<string> = new Set(["ATOMIC_UNSUPPORTED", "NOT_PROCESSED"]);

/** Whether an error means that nothing was done. The key can then be used for another request. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && (error.status < 500 || harmless.has(error.code));
}

function sealed({ sealAnswers }: Operation, { environment }: Context, store: IdempotencyStore): IdempotencyStore {
  return sealAnswers?.(store, environment.secrets) ?? store;
}

/** Whether an error is a result of the operation itself, to be recorded: another attempt would fail in the same way, or for an unrelated reason. */
function isOutcome(error: unknown): boolean {
  return error instanceof ProblemError && error.code.startsWith("DUPLICATE_");
}

function requestFingerprint({ environment: { version }, request, headers, body: parsed, received, format }: Context): Promise<string> {
  const json = received?.fingerprint ?? parsed;
  // No target that a client can send contains the sign of a fragment. A replay must not have another version or format than the client asks for.
  const target = [`${request.mount}${request.path}?${request.query}`, version?.name, format?.name].filter(Boolean).join("#");
  return fingerprintInTurns({ ...requestHead(headers), method: request.method, target, body: json === undefined ? undefined : { json } });
}

/** The fields that the principal may read now, in the collections that an answer can show. A replay is authorized by them. */
async function readableIn(resources: readonly Resource[], { access }: Operation, context: Context): Promise<readonly string[]> {
  const { collection } = access ?? {};
  // A query may include related rows.
  const own = collection !== undefined && context.request.query === "";
  const readable: string[] = [];
  for (const resource of resources) {
    if (own && resource.name !== collection) continue;
    readable.push(...(await readableFields(resource, context, resource.name === collection ? context.permit : undefined)));
  }
  return readable;
}
