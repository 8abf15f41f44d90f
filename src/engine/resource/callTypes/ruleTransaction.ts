import type { Principal } from "../../../parts/auth/verifier.js";
import type { Resource } from "../resource.js";
import type { Rights } from "./rowTypes.js";
import type { TransactionTools } from "./transactionTools.js";
import type { Calls, SystemOptions } from "./types.js";

/** Calls on the collections of a service, from a rule that does not know which ones it has. */
export interface RuleCalls<G extends Rights = Rights> {
  /** The calls of a collection. @throws {ConfigurationError} for one of another service */
  of<R extends Resource>(resource: R): Calls<R, G>;
  /** Runs calls in a savepoint, which is rolled back if the function throws. While it runs, calls of the transaction around it wait; from within it they are refused. */
  transaction<Result>(run: (tx: RuleTransaction<G>) => Promise<Result>): Promise<Result>;
}

/**
 * The transaction of a write, for hooks and actions. What is done with it commits with the write, or not at all. It ends with the function that got it.
 *
 * @example
 * hooks: { afterWrite: async ({ row, tx }) => { await tx.of(stock).update(row.sku, { left: 0 }); } }
 */
export interface RuleTransaction<G extends Rights = "system"> extends RuleCalls<G>, TransactionTools {
  /** Calls with the rights of a principal. */
  as(principal: Principal): RuleCalls<"principal">;
  /** Calls with all rights, by default in the tenant of the write. */
  asSystem(options?: SystemOptions): RuleCalls<"system">;
}
