import assert from "node:assert/strict";

/** The proof of a worker that it holds a lease. */
export interface Lease {
  readonly id: string;
  readonly fence: number;
}

/** Work under a lease. */
export interface ClaimedWork {
  readonly lease: Lease;
  /** The attempts that count before this one. */
  readonly attempts: number;
  /** Those of them whose lease expired, if the store counts these. */
  readonly interrupted?: number | undefined;
  /** What the worker is to do. */
  readonly input: unknown;
}

/** How to claim; all work with leases of a minute unless given. */
export interface WorkClaim {
  readonly max?: number;
  readonly leaseMs?: number;
  readonly claimId?: string | undefined;
}

/** A queue of leased work, in words that fit jobs, deliveries and tasks. It begins empty, and no other scenario uses it. */
export interface LeasedQueue {
  /** Advances the clock of the store. */
  advance(ms: number): Promise<void>;
  /** Adds work that is due. @returns its ids */
  add(count?: number, tenant?: string): Promise<readonly string[]>;
  claim(change?: WorkClaim): Promise<readonly ClaimedWork[]>;
  /** Ends work, in each of the ways that the store knows by turns. */
  end(lease: Lease): Promise<boolean>;
  /** Ends an attempt that failed: the work waits for the next one. */
  fail(lease: Lease, delayMs: number): Promise<boolean>;
  /** Gives a lease back without an attempt. */
  release(lease: Lease, delayMs: number): Promise<boolean>;
  /** All writes that need a lease, by name: those above, and others that the store has. */
  readonly writes: Readonly<Record<string, (lease: Lease) => Promise<boolean>>>;
  unclaim(claimId: string): Promise<number | undefined>;
  sweep(keepMs: number, max: number): Promise<number>;
  /** All that the store keeps of some work; `undefined` if nothing is left. */
  find(id: string): Promise<unknown>;
  /** Runs `run` in a transaction of the storage, with the queue that takes part in it. */
  transaction(run: (queue: LeasedQueue) => Promise<void>): Promise<void>;
}

/** One promise that all contracts of leased queues have in common, and its test. */
export interface QueueScenario {
  readonly name: string;
  readonly needs?: { readonly transactions?: true; readonly unclaim?: true } | undefined;
  /** Whether it sweeps: nothing else may have ended in the store. */
  readonly sweeps?: true | undefined;
  run(queue: LeasedQueue): Promise<void>;
}

/** Claims the only work that is due. */
export async function claimOne(queue: LeasedQueue, change: WorkClaim = {}): Promise<ClaimedWork> {
  const [claimed, ...more] = await queue.claim(change);
  assert.ok(claimed !== undefined && more.length === 0, `${claimed === undefined ? 0 : more.length + 1} were claimed`);
  return claimed;
}

/** Adds work and claims it. */
export async function held(queue: LeasedQueue, leaseMs = 60_000): Promise<ClaimedWork> {
  await queue.add();
  return claimOne(queue, { leaseMs });
}

/** Work whose lease has expired. */
export async function overdue(queue: LeasedQueue): Promise<ClaimedWork> {
  const work = await held(queue, 5);
  await queue.advance(20);
  return work;
}

/** Ends all that is due, so that the next claim finds only what is added later. */
export async function drain(queue: LeasedQueue): Promise<void> {
  for (const { lease } of await queue.claim()) assert.equal(await queue.end(lease), true);
}

/** Asserts how many attempts count before this one, and how many of them were interrupted. */
export function assertCounted({ attempts, interrupted }: ClaimedWork, expected: number, expectedInterrupted = 0): void {
  assert.deepStrictEqual([attempts, interrupted ?? expectedInterrupted], [expected, expectedInterrupted], "attempts, interrupted ones");
}

/** Asserts that all writes refuse a lease, and leave the work unchanged. */
export async function assertRefused(queue: LeasedQueue, lease: Lease): Promise<void> {
  const before = await queue.find(lease.id);
  for (const [name, write] of Object.entries(queue.writes)) assert.equal(await write(lease), false, name);
  assert.deepStrictEqual(await queue.find(lease.id), before, "the work has changed");
}

/** Calls `run` several times at once. */
export function together<T>(run: (index: number) => Promise<T>, count = 20): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}
