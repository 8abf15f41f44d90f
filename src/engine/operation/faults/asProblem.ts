import { ClientGone } from "../../../ground/http/clientGone.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { QueryTimeout, Retryable, RowTooLarge, Unavailable, WriteRefused } from "../../../ground/storage/errors.js";
import { isOutcomeUnknown } from "../transaction/outcomeUnknown.js";
import { refusedByDatabase } from "../write/refusedByDatabase.js";

/** Converts any thrown value to the problem that the client may see. Details that the client must not see stay in `cause`. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (isOutcomeUnknown(error)) {
    // Without Retry-After, which would ask for a repetition.
    const detail =
      "The storage broke off during the write, which may have been done. Check before you repeat the request; with its Idempotency-Key it can be repeated as it is.";
    return new ProblemError("OUTCOME_UNKNOWN", detail, { cause: error });
  }
  if (error instanceof Retryable && error.isConflict) return lostRace(error);
  if (error instanceof Unavailable || error instanceof Retryable) {
    return new ProblemError("STORAGE_UNAVAILABLE", "The storage cannot answer now.", { cause: error, headers: { "retry-after": "5" } });
  }
  if (error instanceof QueryTimeout) {
    return new ProblemError("QUERY_TIMEOUT", "The query took too long. Narrow it, or try again later.", {
      cause: error,
      headers: { "retry-after": "5" },
    });
  }
  if (error instanceof RowTooLarge) {
    const detail = "The row or an indexed value is too large for the storage. Shorten its texts.";
    return new ProblemError("ROW_TOO_LARGE", detail, { cause: error });
  }
  if (error instanceof WriteRefused) return refusedByDatabase(error.refusal);
  // The client does not receive this answer; it only completes the request.
  if (error instanceof ClientGone) return new ProblemError("REQUEST_TIMEOUT", "The client went away.", { cause: error });
  return new ProblemError("INTERNAL", "Something went wrong here.", { cause: error, headers: { "retry-after": "5" } });
}

/** Every attempt conflicted with another transaction. */
export function lostRace(cause: unknown): ProblemError {
  const detail = "Other requests changed the same rows at the same time, and nothing was done; try again.";
  return new ProblemError("WRITE_CONFLICT", detail, { headers: { "retry-after": "1" }, cause });
}
