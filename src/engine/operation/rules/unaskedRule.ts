import type { Scopes } from "./scopes.js";

/** A transaction is open, and needs a rule that was not asked before it began. The transaction must be rolled back, and run again after the question. */
export class UnaskedRule extends Error {
  override readonly name = "UnaskedRule";
  /** Asks the rule. */
  readonly askOf: (scopes: Scopes) => unknown;

  constructor(askOf: (scopes: Scopes) => unknown) {
    super("A rule was not asked before the transaction began.");
    this.askOf = askOf;
  }
}
