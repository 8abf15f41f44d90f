/** Stores that each attack is made on. */
export const attackedStores = ["SQLite", "memory"] as const;
export type AttackedStore = (typeof attackedStores)[number];

/** What an attack may send. */
export interface Attacker {
  readonly store: AttackedStore;
  /** Sends a request and reads the whole answer. */
  send(method: string, path: string, request?: AttackRequest): Promise<AttackAnswer>;
}

export interface AttackRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The media type of the body (`application/json`). */
  readonly type?: string;
}

export interface AttackAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  json(): unknown;
}

/** One heavy route, sent what its limits allow at most. */
export interface Attack {
  readonly name: string;
  /** Not held to the bound, on any store or on these: measured by `test/long/load/attacks.ts` alone. */
  readonly measuredOnly?: true | readonly AttackedStore[];
  /** Left out on other stores. */
  readonly stores?: readonly AttackedStore[];
  /** Makes what the attack needs, before anything is measured. */
  prepare?(attacker: Attacker): Promise<void>;
  /**
   * One run, which is measured as a whole. Throws where it did not come to what it was made for: an attack that is refused early shows nothing.
   *
   * @param run number of the run, from 0: writes need other values each time
   */
  run(attacker: Attacker, run: number): Promise<void>;
}

/** Requires a status. @throws {Error} for any other */
export function expectStatus({ status, bytes }: AttackAnswer, ...expected: readonly number[]): void {
  if (expected.includes(status)) return;
  throw new Error(`Got ${status} in place of ${expected.join(" or ")}: ${Buffer.from(bytes).toString("utf8", 0, 500)}`);
}
