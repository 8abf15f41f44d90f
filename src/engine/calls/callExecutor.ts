import { ConfigurationError } from "../../ground/problem/index.js";
import { endPart, openPart, requireAwaited, requireOutside, runInside, type TransactionPart } from "../../ground/storage/insideTransaction.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { Environment } from "../operation/environment.js";
import { environmentWithin } from "../operation/environmentWithin.js";
import { asProblem } from "../operation/faults/asProblem.js";
import type { Logger } from "../operation/logging/logger.js";
import { prepareWrite } from "../operation/rules/prepareWrite.js";
import type { Scopes } from "../operation/rules/scopes.js";
import { transactionsAround } from "../operation/transaction/transactionsAround.js";
import type { CallTransactionOptions } from "../resource/callTypes/types.js";
import type { LinkedResource } from "../resource/relations/link.js";
import type { Caller } from "./caller.js";
import { furtherCalls } from "./furtherCalls.js";

/** Runs calls: outside of transactions, or in one. */
export interface CallExecutor {
  /** @param scopes those that were asked for before the transaction */
  caller(principal: Principal, isSystem: boolean, scopes?: Scopes): Caller;
  /**
   * Runs a function in a transaction, or in a savepoint of the one that is open.
   *
   * @param caller whose scopes are asked for before the transaction begins: none waits while the transaction is open
   */
  transaction<R>(caller: Caller, run: (inner: CallExecutor, scopes: Scopes | undefined) => Promise<R>, options: CallTransactionOptions): Promise<R>;
  /**
   * The environment for `emit`, `sql`, `afterCommit` and other uses of the transaction besides calls of a collection.
   *
   * @throws {ConfigurationError} if the transaction has ended, or if the use would wait for a nested transaction that it is made in
   */
  use(purpose?: Purpose): Environment;
  /** As that of a {@link Caller}. */
  note?: Caller["note"];
  /** The rule or transaction that a call made now belongs to. */
  part(): TransactionPart | undefined;
}

/** What a transaction is used for. Only `afterCommit` sends nothing to the store. */
type Purpose = "call" | "lock" | "sql" | "afterCommit";

/** What calls need of their service. */
export interface ServiceParts {
  /** Used after the service has started. */
  readonly environment: Environment;
  /** The collections in the form that the system, or that principals see. */
  resources(isSystem: boolean): ReadonlyMap<string, LinkedResource>;
  /** Begins a call: starts the service if necessary. The returned function ends the call. @throws {ProblemError} SHUTTING_DOWN */
  begin(): Promise<() => void>;
}

/** Runs calls on the service itself. */
export function serviceExecutor({ environment, resources, begin }: ServiceParts): CallExecutor {
  return executorOf({
    resources,
    isInTransaction: false,
    environment: () => environment,
    part: openPart,
    begin() {
      // The storage may have one writer, which waits for this function.
      requireOutside(environment.models);
      return begin();
    },
    fault(error) {
      const problem = asProblem(error);
      return problem.code === "INTERNAL" ? error : problem;
    },
    transact(run, options) {
      const requestId = environment.ids.uuid();
      const operationId = environment.ids.ulid();
      const attempt = (tx: Storage) => {
        return runWithin({ resources, requestId, nextId: idsBelow(operationId) }, environmentWithin(environment, tx), run);
      };
      return environment.transaction(attempt, options);
    },
  });
}

/** Numbers the writes of one attempt of an operation: they have the same ids in the next one, which makes them in the same order. */
export function idsBelow(operationId: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${operationId}:${count}`;
  };
}

/** What all calls of a transaction have in common. */
interface TransactionParts extends Pick<ServiceParts, "resources"> {
  readonly requestId: string;
  readonly nextId: () => string;
}

/**
 * Runs calls within an open transaction, for as long as the part of the transaction runs.
 *
 * @param environment makes the environment of the transaction when it is first needed
 */
export function executorWithin(common: TransactionParts, environment: () => Environment, part: TransactionPart): CallExecutor {
  const use = (purpose: Purpose = "call") => {
    for (let each: TransactionPart | undefined = part; each !== undefined; each = each.outer) {
      if (!each.isOpen) throw new ConfigurationError("The transaction of this call has ended; await each call before its function returns.");
      each.isUsed = true;
      each.usesSql ||= purpose === "sql";
    }
    const within = environment();
    if (purpose !== "afterCommit") requireOutside(within.storage, 'the inner "tx"');
    return within;
  };
  const note = (what: "reads" | "locks" | "writes") => {
    for (let each: TransactionPart | undefined = part; each !== undefined; each = each.outer) each[what] = true;
  };
  const executor = executorOf({
    ...common,
    isInTransaction: true,
    environment,
    use,
    note,
    part: () => part,
    async begin() {
      use();
      return () => {};
    },
    // A conflict with another transaction must arrive at its retry as it is.
    fault: (error) => error,
    // Once more: scopes were asked since the call began.
    transact: (run, options) => use().transaction((tx) => runWithin(common, environmentWithin(environment(), tx), run, part), options),
  });
  return {
    ...executor,
    transaction(...given) {
      part.nested = (part.nested ?? 0) + 1;
      return executor.transaction(...given).finally(() => (part.nested as number)--);
    },
  };
}

async function runWithin<R>(
  common: TransactionParts,
  environment: Environment,
  run: (inner: CallExecutor) => Promise<R>,
  outer?: TransactionPart,
): Promise<R> {
  const { logger } = environment;
  const unawaited = outer?.unawaited ?? logsUnawaited(logger, "a transaction", common.requestId);
  const part: TransactionPart = { isOpen: true, outer, unawaited };
  const executor = executorWithin(common, () => environment, part);
  try {
    const result = await runInside(part, heldBy(environment), () => run(executor));
    requireAwaited(part.nested);
    return result;
  } finally {
    endPart(part);
  }
}

/** What others wait for while a transaction is open: calls of the service, the writer of its store, and the transactions that it is nested in. */
export function heldBy({ models, storage }: Pick<Environment, "models" | "storage">): readonly unknown[] {
  return [models, storage.queue, ...transactionsAround(storage)];
}

/** @param rule names what makes the calls: `"beforeWrite" of "orders"` */
export function logsUnawaited(logger: Logger, rule: string, requestId: string): (error: unknown) => void {
  return (err) => logger.error({ err, rule, requestId }, `A call within ${rule} failed, and nothing awaits it; await each call.`);
}

interface ExecutorParts
  extends Pick<CallExecutor, "part">,
    Pick<Caller, "begin" | "fault" | "isInTransaction" | "nextId" | "note" | "requestId">,
    Pick<ServiceParts, "resources"> {
  environment(): Environment;
  use?(purpose?: Purpose): Environment;
  transact<R>(run: (inner: CallExecutor) => Promise<R>, options: CallTransactionOptions): Promise<R>;
}

function executorOf({ part, environment, use = environment, transact, resources, ...ofCaller }: ExecutorParts): CallExecutor {
  const { begin, fault } = ofCaller;
  const environments = new Map<boolean, Environment>();
  return {
    use,
    part,
    note: ofCaller.note,
    caller: (principal, isSystem, scopes) => ({
      principal,
      isSystem: isSystem || undefined,
      scopes,
      ...ofCaller,
      get environment() {
        const made = environments.get(isSystem) ?? codeEnvironment(environment(), isSystem);
        environments.set(isSystem, made);
        return made;
      },
      get offers() {
        return environment().offers;
      },
      get resources() {
        return resources(isSystem);
      },
    }),
    async transaction(caller, run, options) {
      const end = await begin();
      try {
        const scopes = caller.scopes ?? (await allScopes(caller));
        return await transact((inner) => run(inner, scopes), options);
      } catch (error) {
        throw fault(error);
      } finally {
        end();
      }
    },
  };
}

/**
 * The answers of all rules for a principal; which of them its function needs is not known before. A rule that fails does so again, when a call needs it.
 */
async function allScopes({ environment, principal }: Caller): Promise<Scopes | undefined> {
  const { rules } = environment;
  const scopes = environment.scopesOf(principal);
  if (rules === undefined || scopes === undefined) return undefined;
  const kinds = ["create", "update", "remove"] as const;
  const asked = [...rules.values()].flatMap(({ model }) => kinds.map(async (kind) => prepareWrite({ environment, scopes }, model, kind)));
  await Promise.allSettled([...asked, environment.offers.get(furtherCalls)?.askRules({ environment, scopes })]);
  return scopes;
}

const unlimited = Number.MAX_SAFE_INTEGER;

/** The environment of calls: queries have no limits that protect from clients, and the system is allowed everything. */
function codeEnvironment(environment: Environment, isSystem: boolean): Environment {
  const { query } = environment.lists;
  const limits = { ...query.limits, listValues: unlimited, valueBytes: unlimited, filterNodes: unlimited };
  return {
    ...environment,
    lists: { ...environment.lists, query: { ...query, limits }, envelope: "data" },
    ...(isSystem ? { authorize: undefined, rules: undefined, scopesOf: () => undefined } : {}),
  };
}
