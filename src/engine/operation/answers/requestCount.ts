import type { ResponseHeaders } from "../../../ground/http/message.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import type { Operation } from "../operation.js";

/** Counts one request against the rate limits. Every method returns at once if there is nothing to wait for. */
export interface RequestCount {
  /** Before authentication: limits by address. @throws {ProblemError} RATE_LIMITED */
  beforeAuthentication(operation: Operation): void | Promise<void>;
  /**
   * After authentication: limits by principal.
   *
   * @param principal `undefined` if the credentials were wrong
   * @throws {ProblemError} RATE_LIMITED
   */
  afterAuthentication(operation: Operation, principal: Principal | undefined): void | Promise<void>;
  /**
   * The items of a batch, once they are known. One item is paid by the request itself.
   *
   * @param operation the operation of the items
   * @throws {ProblemError} RATE_LIMITED
   */
  items(operation: Operation, count: number): void | Promise<void>;
  /** Adds what is left of the limits to the headers of the response. */
  addHeaders(headers: ResponseHeaders): void;
}
