import { RuleTransaction } from "../calls/ruleTransaction.js";
import { isPromise, withinTime } from "../calls/timeLimit.js";
import type { Context } from "../operation/context.js";
import type { Environment } from "../operation/environment.js";
import type { EventRow } from "../operation/rowEvents.js";
import { ConfigurationError } from "../problem/index.js";
import type { Row } from "../storage/collection.js";
import type { Storage } from "../storage/storage.js";
import type { CompiledAction } from "./action.js";
import { readOnlyStorage, refuseInGet } from "./readOnly.js";

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
export async function runAction(action: CompiledAction, { service, context, operationId, tx, row, input }: ActionCall): Promise<ActionResult> {
  const { environment, isSystem, principal, requestId } = context;
  const isRead = action.method === "GET";
  const rule = new RuleTransaction({
    environment: service,
    tx: isRead ? readOnlyStorage(tx, action.place) : tx,
    tenant: principal.tenant,
    requestId,
    hooks: environment.hooks,
    operationId,
  });
  const emissions: Emission[] = [];
  const time = new AbortController();
  let isOver = false;
  const end = () => {
    isOver = true;
    rule.end();
  };
  const limit = {
    ...{ timers: environment.timers, limitMs: environment.limits.hookMs, rule: `"${action.name}"` },
    stop() {
      // In this order: what the signal wakes finds its transaction closed.
      end();
      time.abort(new DOMException("The time of the action is over.", "TimeoutError"));
    },
  };
  const call = {
    ...(row === undefined ? {} : { row: action.readRow(row) }),
    input,
    principal: isSystem ? undefined : principal,
    operationId,
    signal: time.signal,
    requestId,
    async emit(type: string, data: Emission["data"] = {}): Promise<void> {
      if (isOver) throw new ConfigurationError(`${action.place} has ended; await each call of "emit".`);
      emissions.push({ type: declared(action, type), data });
    },
    get tx() {
      return isRead ? refuseInGet(rule.tx, action.place) : rule.tx;
    },
  };
  try {
    const run = () => action.run(call);
    // A GET holds no transaction, so that it may call the service too.
    const running = isRead ? run() : rule.run(run);
    const returned = isPromise(running) ? await withinTime(running, limit) : running;
    return {
      returned,
      usedTransaction: rule.isUsed,
      async enqueue(of) {
        for (const { type, data } of emissions) await environment.events?.emit?.({ type, data, tenant: principal.tenant, of }, tx);
      },
    };
  } finally {
    end();
  }
}

function declared({ events, place }: CompiledAction, type: string): string {
  if (events.has(type)) return type;
  const known = events.size === 0 ? `it declares no "events"` : `its "events" are ${[...events].join(", ")}`;
  throw new ConfigurationError(`${place} emitted "${String(type).slice(0, 64)}", but ${known}.`);
}
