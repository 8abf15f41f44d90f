/** What the leases of one claim have in common. */
export interface Leasing {
  readonly leaseMs: number;
  /** The time of the store. */
  readonly nowMs: number;
  readonly holder: number | null | undefined;
  readonly claimId: string | null | undefined;
}
