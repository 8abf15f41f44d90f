import { endPart, requireAwaited, runInside, type TransactionPart } from "../../ground/storage/insideTransaction.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Environment } from "../operation/environment.js";
import { environmentWithin } from "../operation/environmentWithin.js";
import { attemptOf } from "../operation/transaction/runTransaction.js";
import { executorWithin, heldBy, idsBelow, logsUnawaited } from "./callExecutor.js";
import { rowCalls, type TransactionCollections } from "./callerCollections.js";
import { type ReadingRule, warnOfConcurrentReads } from "./concurrentReads.js";
import { watchCall } from "./watchCall.js";

/** Where a rule of the developer runs. */
export interface RuleParts {
  /** The environment of the service, outside of transactions and versions. */
  readonly environment: Environment;
  /** The open transaction. */
  readonly tx: Storage;
  readonly tenant: string | undefined;
  /** The request whose write or action the rule is part of. */
  readonly requestId: string;
}

/**
 * What one call of a rule of the developer may use of the open transaction: the collections with the rights of the system, in the tenant of the write. Making this object
 * costs next to nothing; the collections are made when the rule asks for them.
 *
 * @example
 * const rule = new RuleTransaction({ name, identity: hook, isConcurrent }, { environment, tx, tenant, requestId }, () => environment.hooks, () => operationId);
 * try {
 *   return rule.succeed(await rule.run(() => hook({ get tx() { return rule.tx; } })));
 * } finally {
 *   rule.end();
 * }
 */
export class RuleTransaction {
  readonly #rule: ReadingRule;
  readonly #parts: RuleParts;
  readonly #hooks: () => Environment["hooks"];
  readonly #operationId: () => string;
  readonly #part: TransactionPart;
  #environment: Environment | undefined;
  #collections: TransactionCollections | undefined;

  /**
   * @param hooks the hooks that writes of the rule run, asked for with the first of them
   * @param operationId makes the id of the operation that the rule belongs to, the same in each attempt: its writes have ids below it
   */
  constructor(rule: ReadingRule, parts: RuleParts, hooks: () => Environment["hooks"], operationId: () => string) {
    this.#rule = rule;
    this.#parts = parts;
    this.#hooks = hooks;
    this.#operationId = operationId;
    const unawaited = (error: unknown) => logsUnawaited(parts.environment.logger, rule.name, parts.requestId)(error);
    this.#part = { isOpen: true, isUsed: false, usesSql: false, unawaited };
  }

  /** The collections, `emit`, `sql` and `afterCommit`. They refuse calls after the end of the rule. */
  get tx(): TransactionCollections {
    if (this.#collections === undefined) {
      const { environment, requestId, tenant } = this.#parts;
      const calls = environment.offers.get(rowCalls);
      if (calls === undefined) throw new Error("The calls of the service are not made yet.");
      const { factory, resources } = calls;
      this.#collections = factory.within(
        executorWithin({ resources, requestId, nextId: idsBelow(this.#operationId()) }, () => this.#within(), this.#part),
        tenant,
      );
    }
    return this.#collections;
  }

  /** Whether the rule has made any call in the transaction. */
  get isUsed(): boolean {
    return this.#part.isUsed === true;
  }

  /** Whether the rule has run SQL of its own. */
  get usesSql(): boolean {
    return this.#part.usesSql === true;
  }

  /** Whether the rule has written rows. */
  get writes(): boolean {
    return this.#part.writes === true;
  }

  /** How often the transaction has begun. */
  get attempt(): number {
    return attemptOf(this.#parts.tx);
  }

  /** Logs that what the rule has read may change before its write, if that is so. */
  warnOfConcurrentReads(): void {
    const { environment, tx } = this.#parts;
    warnOfConcurrentReads(this.#rule, this.#part, environment, tx);
  }

  /** Runs the rule: what it calls on the service itself is refused, because that would wait for the transaction. */
  run<R>(rule: () => R): R {
    const { environment, tx } = this.#parts;
    return runInside(this.#part, heldBy({ models: environment.models, storage: tx }), rule);
  }

  /** A call of the rule that does not go by `tx`, which may be forgotten as those can. */
  watch<R>(call: Promise<R>): Promise<R> {
    return watchCall(call, this.#part);
  }

  /** Ends the rule: later calls on `tx` throw. */
  end(): void {
    endPart(this.#part);
  }

  /** Ends the rule with its result. @throws {ConfigurationError} if it has not awaited a transaction: the write would have to wait for that one */
  succeed<R>(result: R): R {
    this.end();
    requireAwaited(this.#part.nested);
    return result;
  }

  #within(): Environment {
    if (this.#environment === undefined) {
      const { environment, tx } = this.#parts;
      this.#environment = { ...environmentWithin(environment, tx), hooks: this.#hooks() };
    }
    return this.#environment;
  }
}
