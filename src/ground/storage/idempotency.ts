import { Unavailable } from "./errors.js";

/** The result of a begin. */
export type Begun =
  /** The caller holds the lease and runs the operation; `attempt` is the fence of what it writes. */
  | { readonly kind: "acquired"; readonly operationId: string; readonly attempt: number }
  /** Another process holds the lease; `retryAfterMs` is its remaining time, at least 1. */
  | { readonly kind: "inFlight"; readonly fingerprint: string; readonly retryAfterMs: number }
  | { readonly kind: "done"; readonly fingerprint: string; readonly response: Uint8Array };

const lateBegin = Symbol.for("restwright.storage.LateBegin");

/** A begin arrived after its deadline and did nothing. */
export class LateBegin extends Unavailable {
  readonly [lateBegin] = true;

  constructor() {
    super("The begin of an operation arrived after its deadline. Send the request again.");
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && lateBegin in value;
  }
}

/** The end of an operation, that an insert writes together with its row, see `insert` of `Collection`. */
export interface OperationEnd {
  /** Id of the record. */
  readonly id: string;
  readonly operationId: string;
  readonly attempt: number;
  readonly response: Uint8Array;
  /** Makes the error with which the insert rejects, and inserts nothing, if `complete` would be refused. */
  lost(): Error;
}

export interface BeginRequest {
  /** Only a request with the same fingerprint takes over a lease that has ended. */
  readonly fingerprint: string;
  /** The operation id if this begin is the first of its operation. */
  readonly operationId: string;
  readonly leaseMs: number;
  /** How long the record lives, from its creation. */
  readonly ttlMs: number;
  /**
   * By the store's clock, in milliseconds since the epoch. A begin that arrives later does nothing and rejects with {@link LateBegin}, because its caller
   * has given up. Client libraries queue commands while there is no connection.
   */
  readonly deadlineMs?: number | undefined;
  /** The owner of the record, in a fixed size; `storedBytes` is counted per owner. Records without an owner are not counted. */
  readonly owner?: string | undefined;
}

/**
 * Records of idempotent operations, by the id of their key, a hash of fixed size. Every method is atomic; the clock is the store's own.
 *
 * `absent —begin→ in flight —complete→ done —ttl→ absent`; `in flight —abandon→ absent`. The next begin with the same fingerprint takes over a lease that has ended:
 * the operation stays the same, the attempt grows by one. `complete`, `abandon` and `renew` are refused (`false`) unless the record is in flight
 * with that operation and attempt. A lease that has ended but has not been taken over still counts. A record that has expired is absent; it never
 * expires before its lease.
 */
export interface IdempotencyStore {
  begin(id: string, request: BeginRequest): Promise<Begun>;
  /** Stores the response. `false`: the lease was lost, or the operation is already complete. */
  complete(id: string, operationId: string, attempt: number, response: Uint8Array): Promise<boolean>;
  /** Removes the record, so that the next begin is the first one. */
  abandon(id: string, operationId: string, attempt: number): Promise<boolean>;
  /**
   * Frees the key if the begin that was called with this operation id holds it: for a begin whose answer was lost, which may have taken over the operation of an earlier one. The first attempt is
   * abandoned, the lease of a later one ends. Stores without this method let such a lease end in its time.
   */
  unbegin?(id: string, operationId: string): Promise<boolean>;
  /** Lets the lease end `leaseMs` from now; with 0 it has ended when this resolves, so that the next begin takes the operation over. */
  renew?(id: string, operationId: string, attempt: number, leaseMs: number): Promise<boolean>;
  /** The store's clock, in milliseconds since the epoch. Without it no begin has a deadline. */
  now?(): Promise<number>;
  /** After how many milliseconds the store itself gives up a begin (30,000). */
  readonly beginTimeoutMs?: number | undefined;
  /**
   * Total length of the stored, unexpired responses of an owner, over all processes. A store that counts separately from the record may miss
   * responses that were completed at the moment of a crash.
   */
  storedBytes?(owner: string): Promise<number>;
  /** Removes expired records. @returns how many */
  purge?(): Promise<number>;
  /** Creates what the store needs. Safe when several processes start at once. */
  migrate?(): Promise<void>;
  /** Resolves when the store accepts writes. */
  ping?(): Promise<void>;
  /** Closes what the store itself opened. */
  close?(): Promise<void>;
}
