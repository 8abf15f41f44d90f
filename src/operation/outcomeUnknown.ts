import { Unavailable } from "../storage/errors.js";

const brand = Symbol.for("restwright.operation.OutcomeUnknown");

/** The storage broke off while a write or its commit was under way, so that it may have been done: the core responds 503 OUTCOME_UNKNOWN. */
export class OutcomeUnknown extends Unavailable {
  readonly [brand] = true;
  override readonly name = "OutcomeUnknown";

  constructor(cause: Unavailable) {
    super(cause.message, { cause });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** The error of a commit, or of a write that commits by itself: an `Unavailable` leaves open whether it was done, unless the storage says that it was not. */
export function errorOfWrite(error: unknown): unknown {
  return error instanceof Unavailable && !error.wroteNothing && !(error instanceof OutcomeUnknown) ? new OutcomeUnknown(error) : error;
}
