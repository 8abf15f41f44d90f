/**
 * Tells which processes are alive, from locks that the system releases when a process dies. It compares no clocks and needs no heartbeats: a process that is
 * slow or suspended keeps its leases until they expire.
 */
export interface SqlPresence {
  /** The id that marks leases of this process; `undefined` while it holds no lock, so that its leases only end when they expire. */
  holder(): Promise<number | undefined>;
  /** The holders whose processes are certainly dead. */
  dead(holders: readonly number[]): Promise<readonly number[]>;
  /** How many processes are known to have vanished so far, dead or not; a few seconds old. Without this method, leases must be read to learn of it. */
  vanished?(): Promise<number>;
  /** Releases the lock of this process, so that others can take over leases that it left. */
  end(): Promise<void>;
}

/** A random holder id between 1 and 2^31 - 1. */
export function newHolder(): number {
  return 1 + Math.floor(Math.random() * 0x7ffffffe);
}
