/** What became of a begin. */
export type Begun =
  /** The caller holds the lease and runs the operation; `attempt` is the fence of what it writes. */
  | { readonly kind: "acquired"; readonly operationId: string; readonly attempt: number }
  /** Somebody else holds it; `retryAfterMs` is what is left of the lease, at least 1. */
  | { readonly kind: "inFlight"; readonly fingerprint: string; readonly retryAfterMs: number }
  | { readonly kind: "done"; readonly fingerprint: string; readonly response: Uint8Array };

export interface BeginRequest {
  /** A lease that is over is taken over only by a request with the same one. */
  readonly fingerprint: string;
  /** Taken where this begin is the first of its operation. */
  readonly operationId: string;
  readonly leaseMs: number;
  /** How long the record lives, from its creation. */
  readonly ttlMs: number;
}

/**
 * Records of operations that are to happen once, by the id of their key: a hash, of fixed size. Every method is atomic; the clock is the store's own.
 *
 * `absent —begin→ in flight —complete→ done —ttl→ absent`; `in flight —abandon→ absent`. A lease that is over is taken over by the next begin with the
 * same fingerprint: the same operation, the attempt one higher. `complete`, `abandon` and `renew` are refused (`false`) unless the record is in flight
 * with that operation and attempt. A lease that is over but has not been taken over still counts. A record that has expired is absent; it never
 * expires before its lease.
 */
export interface IdempotencyStore {
  begin(id: string, request: BeginRequest): Promise<Begun>;
  /** Keeps the response. `false`: the lease was lost to somebody, or the operation is done already. */
  complete(id: string, operationId: string, attempt: number, response: Uint8Array): Promise<boolean>;
  /** Forgets the operation, so that the next begin is a first one. */
  abandon(id: string, operationId: string, attempt: number): Promise<boolean>;
  /** Lets the lease end `leaseMs` from now. */
  renew?(id: string, operationId: string, attempt: number, leaseMs: number): Promise<boolean>;
  /** Removes what has expired. @returns how many records */
  purge?(): Promise<number>;
  /** Creates what the store needs. Safe when several processes start at once. */
  migrate?(): Promise<void>;
  /** Ends what the store opened itself. */
  close?(): Promise<void>;
}
