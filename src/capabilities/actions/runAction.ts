import type { TransactionCollections } from "../../engine/calls/callerCollections.js";
import { RuleTransaction } from "../../engine/calls/ruleTransaction.js";
import type { Context } from "../../engine/operation/context.js";
import type { Environment } from "../../engine/operation/environment.js";
import { isPromise, withinTime } from "../../engine/operation/timeLimit.js";
import { requireIsolation } from "../../engine/operation/transaction/runTransaction.js";
import type { EventRow } from "../../engine/operation/write/rowEvents.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Row } from "../../ground/storage/collection.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { CompiledAction } from "./action.js";
import { readOnlyStorage, refuseInGet } from "./readOnly.js";
import { isResponded } from "./respond.js";

/** What an action is run with. */
export interface ActionCall {
  /** The environment of the service, outside of transactions and versions. */
  readonly service: Environment;
  readonly context: Context;
  readonly operationId: string;
  /** The transaction; of a GET the storage, of which it gets reads only. */
  readonly tx: Storage;
  /** The row of an action on one. */
  readonly row?: Row | undefined;
  readonly input: unknown;
}

/** What an action did. */
export interface ActionResult {
  /** What it returned. */
  readonly returned: unknown;
  /** Whether it has called anything in the transaction. */
  readonly usedTransaction: boolean;
  /** Enqueues the events that it emitted. @param of the row that they are about, as it stands at the end */
  enqueue(of?: EventRow): Promise<void>;
}

type Emission = Readonly<{ type: string; data: Readonly<Record<string, unknown>> }>;

/**
 * Runs the developer's function of an action, within its time.
 *
 * @throws what the function throws; {ProblemError} HOOK_TIMEOUT
 */
export async function runAction(action: CompiledAction, call: ActionCall): Promise<ActionResult> {
  const { service, context, tx } = call;
  const { environment, principal, requestId } = context;
  const isRead = action.method === "GET";
  requireIsolation(tx, isRead ? undefined : action.isolation);
  const rule = new RuleTransaction(
    { name: action.place, identity: action, isConcurrent: action.concurrent === true },
    { environment: service, tx: isRead ? readOnlyStorage(tx, action.place) : tx, tenant: principal.tenant, requestId },
    () => environment.hooks,
    () => call.operationId,
  );
  const running: Running = { rule, emissions: [], isOver: false, time: undefined };
  const end = () => {
    running.isOver = true;
    rule.end();
  };
  const { timers, limits } = environment;
  const limit = {
    ...{ timers, limitMs: limits.hookMs, rule: `"${action.name}"` },
    stop() {
      // In this order: what the signal wakes finds its transaction closed.
      end();
      running.time ??= new AbortController();
      running.time.abort(new DOMException("The time of the action is over.", "TimeoutError"));
    },
  };
  try {
    const run = () => action.run(new ActionFacts(action, call, running));
    // A GET holds no transaction, so that it may call the service too.
    const result = isRead ? run() : rule.run(run);
    const returned = rule.succeed(isPromise(result) ? await withinTime(result, limit) : result);
    if (rule.writes || (action.on === "row" && returned !== undefined && !isResponded(returned))) rule.warnOfConcurrentReads();
    return {
      returned,
      usedTransaction: rule.isUsed,
      async enqueue(of) {
        for (const { type, data } of running.emissions) await environment.events?.emit?.({ type, data, tenant: principal.tenant, of }, tx);
      },
    };
  } finally {
    end();
  }
}

/** An action that runs. */
interface Running {
  readonly rule: RuleTransaction;
  readonly emissions: Emission[];
  isOver: boolean;
  /** Made when the action asks for its signal. */
  time: AbortController | undefined;
}

/** What the function of an action is told. A class because of its getters: most actions use little of it. */
class ActionFacts {
  readonly input: unknown;
  readonly operationId: string;
  readonly requestId: string;
  readonly principal: Principal | undefined;
  readonly #action: CompiledAction;
  readonly #given: Row | undefined;
  readonly #running: Running;
  #row: Readonly<Record<string, unknown>> | undefined;

  constructor(action: CompiledAction, { context, operationId, row, input }: ActionCall, running: Running) {
    this.input = input;
    this.operationId = operationId;
    this.requestId = context.requestId;
    this.principal = context.isSystem ? undefined : context.principal;
    this.#action = action;
    this.#given = row;
    this.#running = running;
  }

  get row(): Readonly<Record<string, unknown>> | undefined {
    if (this.#given !== undefined) this.#row ??= this.#action.readRow(this.#given);
    return this.#row;
  }

  get attempt(): number {
    return this.#running.rule.attempt;
  }

  get signal(): AbortSignal {
    this.#running.time ??= new AbortController();
    return this.#running.time.signal;
  }

  /** A function by itself, because actions take it out of this object. */
  get emit(): (type: string, data?: Emission["data"]) => Promise<void> {
    const emit = async (type: string, data: Emission["data"] = {}) => {
      if (this.#running.isOver) throw new ConfigurationError(`${this.#action.place} has ended; await each call of "emit".`);
      this.#running.emissions.push({ type: declared(this.#action, type), data });
    };
    return (type, data) => this.#running.rule.watch(emit(type, data));
  }

  get tx(): TransactionCollections {
    const { tx } = this.#running.rule;
    return this.#action.method === "GET" ? refuseInGet(tx, this.#action.place) : tx;
  }
}

function declared({ events, place }: CompiledAction, type: string): string {
  if (events.has(type)) return type;
  const known = events.size === 0 ? `it declares no "events"` : `its "events" are ${[...events].join(", ")}`;
  throw new ConfigurationError(`${place} emitted "${String(type).slice(0, 64)}", but ${known}.`);
}
