import type { HttpResponse } from "../../ground/http/message.js";
import type { Timers } from "../../ground/http/timers.js";
import { isRefusal, ProblemError } from "../../ground/problem/index.js";
import type { Begun, IdempotencyStore, OperationEnd } from "../../ground/storage/idempotency.js";
import { isAway, storeLater } from "../../ground/storage/storedLater.js";
import type { StoredBudget, StoredRoom } from "./storedBudget.js";
import { decodeResponse, encodeResponse, type RowIds, type StoredResponse, withoutKeptBody } from "./storedResponse.js";

/** Settings of the records of operations. */
export interface IdempotencySettings {
  readonly store: IdempotencyStore;
  /** Whether the records are in the storage of the rows, so that they commit with a write. */
  readonly sharesTransactions: boolean;
  /** How long one attempt may take before another may take the operation over. */
  readonly leaseMs: number;
  /** How long a response is stored, from the first request. */
  readonly ttlMs: number;
  /** How long a request waits for the first one with its key before it gets 409. */
  readonly waitMs: number;
  /** The behaviour while the store is down: 503, or the operation without the guarantee. */
  readonly failOpen: boolean;
  /** Stores responses of 500 and above too, for effects that must never be attempted twice. */
  readonly storeServerErrors: boolean;
  /** The budget for stored responses per principal; unlimited if `undefined`. */
  readonly budget?: StoredBudget | undefined;
}

/** A request with a key. */
export interface KeyedRequest {
  /** Id of the record. */
  readonly id: string;
  readonly fingerprint: string;
  /** The owner of the record. */
  readonly owner?: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** What the principal may read now. A response is replayed only to a principal that may still read everything that its first receiver could. */
  readonly readable?: readonly string[] | undefined;
  /** Used if this is the first request of its operation. */
  readonly operationId: string;
}

/** An operation that this caller must run. */
export interface HeldOperation {
  /** The same in every attempt: the receiver of an effect recognises the operation by it. */
  readonly operationId: string;
  /** Whether the next attempt has the same id; otherwise it is unknown that there was an attempt. */
  readonly isRecorded: boolean;
  /** Stores the response in the store that the caller passes, which is that of a transaction. @throws {LeaseLost} */
  record(store: IdempotencyStore, response: HttpResponse): Promise<void>;
  /** What a store writes with a row instead of `record`. If it is not written, the operation must end with an error or with another response. */
  readonly end?: ((response: HttpResponse) => Promise<OperationEnd>) | undefined;
}

/** An idempotent operation. */
export interface Performance {
  run(operation: HeldOperation): Promise<HttpResponse>;
  /** The final response to an error of the operation itself; `undefined` for an error after which a retry makes sense. */
  answerTo(error: unknown): HttpResponse | undefined;
  /** Whether a response of this status is stored; by default all below 500, and with `storeServerErrors` the others too. */
  readonly keeps?: ((status: number) => boolean) | undefined;
  /** Whether an error means that nothing was done; by default a problem below 500 does. */
  readonly isRefusal?: ((error: unknown) => boolean) | undefined;
  /** Whether it only reads: if the body of its response was not stored, it runs again. */
  readonly onlyReads?: boolean | undefined;
  /** Whether `run` does nothing when it is called again, but gives the same response: then an attempt that lost its lease may begin again. */
  readonly remembers?: boolean | undefined;
  /** The rows that the response shows; asked when it is stored. `undefined` if they are too many to be stored; then the body is not stored either. */
  readonly rows?: (() => RowIds | undefined) | undefined;
  /** Called with these rows before a replay. @throws {ProblemError} if the principal may not read them any more */
  readonly requireReadable?: ((rows: RowIds) => Promise<void>) | undefined;
  /** Called when the store failed but the client gets a response anyway. */
  warn(error: unknown, message: string): void;
}

interface Waiting {
  readonly timers: Timers;
  readonly random: () => number;
}

/** Another attempt has taken the operation over: this one must not write anything. */
class LeaseLost extends Error {}

/**
 * Runs an operation once for all requests with one key: the first runs it, the others get its response, byte for byte.
 *
 * @throws {ProblemError} IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_FLIGHT, FORBIDDEN, and whatever the operation throws
 */
export async function performIdempotent(
  settings: IdempotencySettings,
  request: KeyedRequest,
  performance: Performance,
  waiting: Waiting,
): Promise<HttpResponse> {
  let waitedMs = 0;
  for (let round = 0; ; round++) {
    const begun = await begin(settings, request, performance, waiting);
    if (begun === undefined) return performance.run(unrecorded(request));
    if (begun.kind !== "acquired" && begun.fingerprint !== request.fingerprint) throw reused();
    if (begun.kind === "done") {
      const kept = await replayOf(begun.response, request, performance);
      // An operation that only reads runs again.
      if (kept.isOmitted && performance.onlyReads) return performance.run(unrecorded(request));
      return kept.response;
    }
    if (begun.kind === "inFlight") {
      if (waitedMs >= settings.waitMs) throw inFlight();
      const pauseMs = Math.min(50 * 2 ** Math.min(round, 3), settings.waitMs - waitedMs);
      waitedMs += pauseMs;
      await pause(pauseMs, waiting);
    } else {
      const response = await perform(settings, request, begun, performance, waiting);
      if (response !== undefined) return response;
      // Another attempt took it over and answers the retries: to begin again would run it once more, and take it from that attempt.
      if (!performance.remembers) throw inFlight();
    }
  }
}

function unrecorded({ operationId }: KeyedRequest): HeldOperation {
  return { operationId, isRecorded: false, record: async () => {} };
}

async function begin(settings: IdempotencySettings, request: KeyedRequest, performance: Performance, waiting: Waiting): Promise<Begun | undefined> {
  const { store, leaseMs, ttlMs, failOpen } = settings;
  const { id, fingerprint, operationId, owner } = request;
  try {
    return await store.begin(id, { fingerprint, operationId, leaseMs, ttlMs, owner });
  } catch (error) {
    // It may have begun, and only its answer was lost.
    if (wasAway(error))
      storeLater(async () => (store.unbegin === undefined ? store.abandon(id, operationId, 1) : store.unbegin(id, operationId)), waiting);
    if (!failOpen) throw error;
    performance.warn(error, "The idempotency store is down; the operation runs without the guarantee.");
    return undefined;
  }
}

/** Also behind the problem that a guarded store makes of it. */
function wasAway(error: unknown): boolean {
  return isAway(error) || (error instanceof ProblemError && isAway(error.cause));
}

/** One attempt; `undefined` if another attempt has taken over meanwhile. */
async function perform(
  { store, storeServerErrors, budget }: IdempotencySettings,
  { id, scopes, owner, readable }: KeyedRequest,
  { operationId, attempt }: Extract<Begun, { kind: "acquired" }>,
  performance: Performance,
  waiting: Waiting,
): Promise<HttpResponse | undefined> {
  const { keeps = (status) => status < 500 || storeServerErrors, isRefusal: meansNothingDone = isRefusal } = performance;
  // Queried before the operation: while its transaction is open, the store may not serve other calls.
  const room = owner === undefined ? undefined : await roomOf(store, budget, owner, performance);
  const encode = async (response: HttpResponse) => {
    const rows = performance.rows === undefined ? [] : performance.rows();
    const kept = rows === undefined ? withoutKeptBody(response) : response;
    return encodeResponse(kept, { scopes, readable, rows }, room);
  };
  const keep = async (at: IdempotencyStore, response: HttpResponse) => at.complete(id, operationId, attempt, await encode(response));
  let recorded: HttpResponse | undefined;
  const end = async (response: HttpResponse): Promise<OperationEnd> => {
    const ended = { id, operationId, attempt, response: await encode(response), lost: () => new LeaseLost() };
    recorded = response;
    return ended;
  };
  const record = async (at: IdempotencyStore, response: HttpResponse) => {
    if (!(await keep(at, response))) throw new LeaseLost();
    recorded = response;
  };
  let response: HttpResponse;
  let failure: { readonly error: unknown } | undefined;
  try {
    response = await performance.run({ operationId, isRecorded: true, record, end });
  } catch (error) {
    if (error instanceof LeaseLost) return undefined;
    const answer = performance.answerTo(error);
    if (answer === undefined || !keeps(answer.status)) {
      await giveBack(store, { id, operationId, attempt }, meansNothingDone(error), performance, waiting);
      throw error;
    }
    [response, failure] = [answer, { error }];
  }
  if (failure === undefined && !keeps(response.status)) {
    await giveBack(store, { id, operationId, attempt }, response.status < 500, performance, waiting);
    return response;
  }
  if (recorded !== response && !(await keepOrWarn(() => keep(store, response), performance, waiting))) return undefined;
  if (failure !== undefined) throw failure.error;
  return response;
}

/** If the store cannot count now, a replay has no body, but the client still gets its response. */
async function roomOf(
  store: IdempotencyStore,
  budget: StoredBudget | undefined,
  owner: string,
  performance: Performance,
): Promise<StoredRoom | undefined> {
  try {
    return await budget?.roomOf(store, owner);
  } catch (error) {
    performance.warn(error, "Counting the stored responses of a principal failed; the body of this response is not stored.");
    return () => false;
  }
}

/** The operation is done: if the store fails now, the client still gets its response, and it is stored when the store is back. */
async function keepOrWarn(keep: () => Promise<boolean>, performance: Performance, waiting: Waiting): Promise<boolean> {
  try {
    return await keep();
  } catch (error) {
    performance.warn(error, "Storing the response to a request with an Idempotency-Key failed; a retry gets it only after the store is back.");
    if (isAway(error)) storeLater(keep, waiting);
    return true;
  }
}

/**
 * Frees the key. After a refusal the record is removed. After a failure the operation may have had an effect: the next attempt takes it over, under the same
 * operation id. If the store is away, this waits for it; the lease ends by itself at the latest, or if the store cannot renew leases.
 */
async function giveBack(store: IdempotencyStore, held: Held, wasRefused: boolean, performance: Performance, waiting: Waiting): Promise<void> {
  const { id, operationId, attempt } = held;
  const release = async () => {
    if (wasRefused) await store.abandon(id, operationId, attempt);
    else await store.renew?.(id, operationId, attempt, 0);
  };
  try {
    await release();
  } catch (error) {
    performance.warn(error, "Releasing an operation with an Idempotency-Key failed; its key is free when the store is back, or its lease has ended.");
    if (isAway(error)) storeLater(release, waiting);
  }
}

interface Held {
  readonly id: string;
  readonly operationId: string;
  readonly attempt: number;
}

async function replayOf(
  stored: Uint8Array,
  { scopes, readable }: KeyedRequest,
  { requireReadable }: Pick<Performance, "requireReadable">,
): Promise<StoredResponse> {
  const kept = await decodeResponse(stored);
  const lacks = kept.scopes?.find((scope) => scopes?.includes(scope) !== true);
  if (lacks !== undefined) throw new ProblemError("FORBIDDEN", `The stored response was sent to a caller with the scope "${lacks}".`);
  // A refusal may be revealed, but its details may be hidden from this caller. A 202 reveals nothing yet.
  const shows = kept.response.body !== null && kept.response.status !== 202;
  if (shows && kept.readable?.some((field) => readable?.includes(field) !== true)) {
    throw new ProblemError(
      "FORBIDDEN",
      "The stored response was sent to a caller who could read more than you may now. The operation itself is done.",
    );
  }
  if (shows && kept.rows !== undefined) await requireReadable?.(kept.rows);
  return kept;
}

function reused(): ProblemError {
  const detail = "This Idempotency-Key was used for another request; a new operation needs a new key.";
  const item = { code: "IDEMPOTENCY_KEY_REUSED", detail, header: "Idempotency-Key" } as const;
  return new ProblemError("IDEMPOTENCY_KEY_REUSED", detail, { errors: [item] });
}

function inFlight(): ProblemError {
  const detail = "The first request with this Idempotency-Key is still being processed.";
  return new ProblemError("IDEMPOTENCY_KEY_IN_FLIGHT", detail, { headers: { "retry-after": "1" } });
}

function pause(pauseMs: number, { timers, random }: Waiting): Promise<void> {
  return new Promise((resolve) => {
    timers.setTimeout(resolve, pauseMs * (0.75 + random() / 2));
  });
}
