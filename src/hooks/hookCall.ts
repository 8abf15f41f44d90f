import { RuleTransaction } from "../calls/ruleTransaction.js";
import type { TransactionShop } from "../calls/shop.js";
import { isPromise, withinTime } from "../calls/timeLimit.js";
import type { Environment } from "../operation/environment.js";
import type { HookedWrite, RowHooks } from "../operation/rowHooks.js";

/** Where a hook is called. */
export interface HookPlace {
  /** The environment of the service. */
  readonly environment: Environment;
  readonly write: HookedWrite;
  /** Name of the hook: `beforeWrite`. */
  readonly hook: string;
  /** Id of the write that it is called for. */
  readonly operationId: string;
  /** The hooks that its own writes run. */
  readonly nested: RowHooks;
}

/** One call of a hook, with what the hook may use. A class because of its getters: most hooks use little of it. */
export class HookCall {
  readonly #place: HookPlace;
  readonly #rule: RuleTransaction;
  #abort: AbortController | undefined;

  constructor(place: HookPlace) {
    const { environment, write, hook, operationId, nested } = place;
    this.#place = place;
    this.#rule = new RuleTransaction({
      ...{ environment, tx: write.tx, hooks: nested },
      tenant: write.writer.principal.tenant,
      requestId: write.writer.requestId,
      // Both hooks of a write may write, each with ids of its own.
      operationId: `${operationId}:${hook}`,
    });
  }

  get tx(): TransactionShop {
    return this.#rule.tx;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  /** Whether the hook has used the transaction, so that a refusal must roll it back. */
  get isUsed(): boolean {
    return this.#rule.isUsed;
  }

  /** Whether the hook has run SQL of its own. */
  get usesSql(): boolean {
    return this.#rule.usesSql;
  }

  /**
   * Runs the hook. A result that is no promise is returned as it is.
   *
   * @throws {ProblemError} HOOK_TIMEOUT
   */
  run(hook: () => unknown): unknown {
    const { environment, write, hook: name } = this.#place;
    let result: unknown;
    try {
      result = this.#rule.run(hook);
    } catch (error) {
      this.#rule.end();
      throw error;
    }
    if (!isPromise(result)) {
      this.#rule.end();
      return result;
    }
    const stop = () => {
      this.#rule.end();
      this.#abort?.abort(new DOMException("The time of the hook is over.", "TimeoutError"));
    };
    const limit = { timers: environment.timers, limitMs: environment.limits.hookMs, rule: `"${name}" of "${write.model.name}"`, stop };
    return withinTime(result, limit).finally(() => this.#rule.end());
  }
}
