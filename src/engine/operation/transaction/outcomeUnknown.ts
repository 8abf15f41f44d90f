import { Unavailable } from "../../../ground/storage/errors.js";

// A subclass of an error would stay in each bundle that contains its file, used or not.
const unknown = new WeakSet<object>();

/** The error of a write that may have been done, because the storage broke off while the write or its commit was under way: the core responds 503 OUTCOME_UNKNOWN. */
export function outcomeUnknown(cause: Unavailable): Unavailable {
  const error = new Unavailable(cause.message, { cause });
  unknown.add(error);
  return error;
}

/** Whether it is an error of {@link outcomeUnknown}, whose cause is the error of the storage. */
export function isOutcomeUnknown(error: unknown): error is Unavailable {
  return typeof error === "object" && error !== null && unknown.has(error);
}

/** The error of a commit, or of a write that commits by itself: an `Unavailable` leaves open whether it was done, unless the storage says that it was not. */
export function errorOfWrite(error: unknown): unknown {
  return error instanceof Unavailable && !error.wroteNothing && !isOutcomeUnknown(error) ? outcomeUnknown(error) : error;
}
