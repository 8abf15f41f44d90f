import type { Row } from "../../../ground/storage/collection.js";
import type { FailedOutcome } from "../../../ground/storage/outcome.js";

/** A row changed before its write, and a hook has already used the transaction: it is rolled back, and the write begins again with the row as it is now. */
export class ChangedInTransaction extends Error {
  override readonly name = "ChangedInTransaction";
  readonly outcome: FailedOutcome<Row>;

  constructor(outcome: FailedOutcome<Row>) {
    super("A row changed while its hooks ran.");
    this.outcome = outcome;
  }
}
