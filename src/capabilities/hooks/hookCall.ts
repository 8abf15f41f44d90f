import type { TransactionCollections } from "../../engine/calls/callerCollections.js";
import { type RuleParts, RuleTransaction } from "../../engine/calls/ruleTransaction.js";
import { isPromise, withinTime } from "../../engine/operation/timeLimit.js";
import type { RowHooks } from "../../engine/operation/write/rowHooks.js";
import type { Hook } from "./collectionHooks.js";

/** Where a hook is called. */
export interface HookPlace {
  readonly rule: RuleParts;
  readonly hook: Pick<Hook, "name" | "isConcurrent">;
  readonly collection: string;
  /** The hooks that its own writes run. */
  readonly nested: () => RowHooks;
}

/** One call of a hook, with what the hook may use. A class because of its getters: most hooks use little of it. */
export class HookCall {
  readonly #place: HookPlace;
  readonly #rule: RuleTransaction;
  #abort: AbortController | undefined;

  /** @param operationId makes the id of the write */
  constructor(place: HookPlace, operationId: () => string) {
    this.#place = place;
    // Both hooks of a write may write, each with ids of its own.
    const ownId = () => `${operationId()}:${place.hook.name}`;
    const reading = { name: nameOf(place), identity: place.hook, isConcurrent: place.hook.isConcurrent };
    this.#rule = new RuleTransaction(reading, place.rule, place.nested, ownId);
  }

  get tx(): TransactionCollections {
    return this.#rule.tx;
  }

  get attempt(): number {
    return this.#rule.attempt;
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
   * Runs the hook. A result that is no promise is returned as it is: most hooks wait for nothing.
   *
   * @throws {ProblemError} HOOK_TIMEOUT
   */
  run(hook: () => unknown): unknown {
    let result: unknown;
    try {
      result = this.#rule.run(hook);
    } catch (error) {
      this.#rule.end();
      throw error;
    }
    // Without a promise it has waited for no call, so that it knows nothing of other rows.
    if (!isPromise(result)) return this.#rule.succeed(result);
    const stop = () => {
      this.#rule.end();
      this.#abort?.abort(new DOMException("The time of the hook is over.", "TimeoutError"));
    };
    const { timers, limits } = this.#place.rule.environment;
    const limit = { timers, limitMs: limits.hookMs, rule: nameOf(this.#place), stop };
    return withinTime(result, limit)
      .then((given) => this.#rule.succeed(given))
      .finally(() => {
        this.#rule.end();
        this.#rule.warnOfConcurrentReads();
      });
  }
}

function nameOf({ hook, collection }: HookPlace): string {
  return `"${hook.name}" of "${collection}"`;
}
