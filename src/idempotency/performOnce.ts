import type { HttpResponse } from "../http/message.js";
import type { Timers } from "../http/timers.js";
import { ProblemError } from "../problem/index.js";
import type { Begun, IdempotencyStore } from "../storage/idempotency.js";
import { decodeResponse, encodeResponse } from "./storedResponse.js";

/** How operations are remembered. */
export interface IdempotencySettings {
  readonly store: IdempotencyStore;
  /** The records stand beside the rows: they commit with a write. */
  readonly sharesTransactions: boolean;
  /** How long one try may take before another may take the operation over. */
  readonly leaseMs: number;
  /** How long an answer is kept, from the first request. */
  readonly ttlMs: number;
  /** How long a request waits for the first one with its key before it is answered 409. */
  readonly waitMs: number;
  /** What happens while the store is down: 503, or the operation without its guarantee. */
  readonly failOpen: boolean;
  /** Answers of 500 and above are kept too: for effects that must not be tried twice whatever came of them. */
  readonly storeServerErrors: boolean;
}

/** A request that carries a key. */
export interface KeyedRequest {
  /** Name of the record. */
  readonly id: string;
  readonly fingerprint: string;
  readonly scopes: readonly string[] | undefined;
  /** Taken if this is the first request of its operation. */
  readonly operationId: string;
}

/** An operation that is this caller's to do. */
export interface HeldOperation {
  /** The same in every try: what an effect elsewhere is told apart by. */
  readonly operationId: string;
  /** Keeps the answer in a store of the caller's choice, which is that of a transaction. @throws {LeaseLost} */
  record(store: IdempotencyStore, response: HttpResponse): Promise<void>;
}

/** What is done once. */
export interface Performance {
  run(operation: HeldOperation): Promise<HttpResponse>;
  /** The answer to an error that came of the operation itself and stays the answer; `undefined` for one after which trying again makes sense. */
  answerTo(error: unknown): HttpResponse | undefined;
  /** Whether an answer of this status is kept; unless given, all below 500, and with `storeServerErrors` the others too. */
  readonly keeps?: ((status: number) => boolean) | undefined;
  /** Whether an error says that nothing was done; unless given, a problem below 500 does. */
  readonly isRefusal?: ((error: unknown) => boolean) | undefined;
  /** Hears of a store that failed where the client is answered all the same. */
  warn(error: unknown, message: string): void;
}

interface Waiting {
  readonly timers: Timers;
  readonly random: () => number;
}

/** Another try has taken the operation over: this one must leave no trace. */
class LeaseLost extends Error {}

/**
 * Runs an operation once for all requests with one key: the first runs it, the others get its answer, byte for byte.
 *
 * @throws {ProblemError} IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_FLIGHT, FORBIDDEN, and whatever the operation throws
 */
export async function performOnce(
  settings: IdempotencySettings,
  request: KeyedRequest,
  performance: Performance,
  waiting: Waiting,
): Promise<HttpResponse> {
  let waitedMs = 0;
  for (let round = 0; ; round++) {
    const begun = await begin(settings, request, performance);
    if (begun === undefined) return performance.run({ operationId: request.operationId, record: async () => {} });
    if (begun.kind !== "acquired" && begun.fingerprint !== request.fingerprint) throw reused();
    if (begun.kind === "done") return replay(begun.response, request.scopes);
    if (begun.kind === "inFlight") {
      if (waitedMs >= settings.waitMs) throw inFlight();
      const pauseMs = Math.min(50 * 2 ** Math.min(round, 3), settings.waitMs - waitedMs);
      waitedMs += pauseMs;
      await pause(pauseMs, waiting);
    } else {
      const response = await perform(settings, request, begun, performance);
      if (response !== undefined) return response;
    }
  }
}

async function begin(settings: IdempotencySettings, request: KeyedRequest, performance: Performance): Promise<Begun | undefined> {
  const { store, leaseMs, ttlMs, failOpen } = settings;
  const { id, fingerprint, operationId } = request;
  try {
    return await store.begin(id, { fingerprint, operationId, leaseMs, ttlMs });
  } catch (error) {
    if (!failOpen) throw error;
    performance.warn(error, "The idempotency store is down: the operation runs without its guarantee.");
    return undefined;
  }
}

/** One try; `undefined` where somebody else has finished or taken over meanwhile. */
async function perform(
  { store, storeServerErrors }: IdempotencySettings,
  { id, scopes }: KeyedRequest,
  { operationId, attempt }: Extract<Begun, { kind: "acquired" }>,
  performance: Performance,
): Promise<HttpResponse | undefined> {
  const { keeps = (status) => status < 500 || storeServerErrors, isRefusal = isRefusedProblem } = performance;
  const keep = (at: IdempotencyStore, response: HttpResponse) => at.complete(id, operationId, attempt, encodeResponse(response, scopes));
  let recorded: HttpResponse | undefined;
  const record = async (at: IdempotencyStore, response: HttpResponse) => {
    if (!(await keep(at, response))) throw new LeaseLost();
    recorded = response;
  };
  let response: HttpResponse;
  let failure: { readonly error: unknown } | undefined;
  try {
    response = await performance.run({ operationId, record });
  } catch (error) {
    if (error instanceof LeaseLost) return undefined;
    const answer = performance.answerTo(error);
    if (answer === undefined || !keeps(answer.status)) {
      await giveBack(store, { id, operationId, attempt }, isRefusal(error), performance);
      throw error;
    }
    [response, failure] = [answer, { error }];
  }
  if (failure === undefined && !keeps(response.status)) {
    await giveBack(store, { id, operationId, attempt }, response.status < 500, performance);
    return response;
  }
  if (recorded !== response && !(await keepOrWarn(() => keep(store, response), performance))) return undefined;
  if (failure !== undefined) throw failure.error;
  return response;
}

/** What has been done stays done: a store that fails now costs the client a replay, not its answer. */
async function keepOrWarn(keep: () => Promise<boolean>, performance: Performance): Promise<boolean> {
  try {
    return await keep();
  } catch (error) {
    performance.warn(error, "The answer to a request with an Idempotency-Key could not be kept.");
    return true;
  }
}

/** An answer of 4xx says that nothing was done. */
function isRefusedProblem(error: unknown): boolean {
  return error instanceof ProblemError && error.status < 500;
}

/**
 * Lets the key be used again. After a refusal the operation is forgotten. After a failure it may have had its effect somewhere: the next try takes it
 * over, under the same operation id. The lease ends by itself where this fails.
 */
async function giveBack(store: IdempotencyStore, held: Held, wasRefused: boolean, performance: Performance): Promise<void> {
  const { id, operationId, attempt } = held;
  try {
    if (wasRefused || store.renew === undefined) await store.abandon(id, operationId, attempt);
    else await store.renew(id, operationId, attempt, 1);
  } catch (error) {
    performance.warn(error, "An operation with an Idempotency-Key could not be given back; its key is free again when the lease ends.");
  }
}

interface Held {
  readonly id: string;
  readonly operationId: string;
  readonly attempt: number;
}

function replay(stored: Uint8Array, scopes: readonly string[] | undefined): HttpResponse {
  const kept = decodeResponse(stored);
  const lacks = kept.scopes?.find((scope) => scopes?.includes(scope) !== true);
  if (lacks !== undefined) throw new ProblemError("FORBIDDEN", `The answer was given to a caller with the scope "${lacks}".`);
  return kept.response;
}

function reused(): ProblemError {
  const detail = "This Idempotency-Key was used for another request; a new operation needs a new key.";
  const item = { code: "IDEMPOTENCY_KEY_REUSED", detail, header: "Idempotency-Key" } as const;
  return new ProblemError("IDEMPOTENCY_KEY_REUSED", detail, { errors: [item] });
}

function inFlight(): ProblemError {
  const detail = "The first request with this Idempotency-Key has not been answered yet.";
  return new ProblemError("IDEMPOTENCY_KEY_IN_FLIGHT", detail, { headers: { "retry-after": "1" } });
}

function pause(pauseMs: number, { timers, random }: Waiting): Promise<void> {
  return new Promise((resolve) => {
    timers.setTimeout(resolve, pauseMs * (0.75 + random() / 2));
  });
}
