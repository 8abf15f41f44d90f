import { openSync, readSync } from "node:fs";

/** How long a turn of the event loop took, in milliseconds: the longest by each measure, which need not be the same turn. */
export interface LongestTurn {
  /** Processor time of the thread. */
  readonly cpuMs: number;
  /** Processor time and sleep: waits for the disk, and for the helper threads of a garbage collection, but not for a processor that other programs had. */
  readonly ownMs: number;
  /** By the clock. */
  readonly wallMs: number;
}

const none: LongestTurn = { cpuMs: 0, ownMs: 0, wallMs: 0 };
/** Checks so often, in milliseconds: a turn that takes less is not seen. */
const checkMs = 1;

/**
 * Watches the event loop of this process, on Linux. The system tells how long a thread had a processor, and how long it was ready to run without one, so that a busy machine is told from the program.
 *
 * @returns a function that tells the longest turn since it was called last
 */
export function watchEventLoop(): () => LongestTurn {
  const statistics = openSync("/proc/self/schedstat", "r");
  const buffer = Buffer.alloc(128);
  const look = () => {
    // Time on a processor, and time of waiting for one, in nanoseconds; then the number of slices.
    const [cpu, wait] = buffer.toString("latin1", 0, readSync(statistics, buffer, 0, buffer.length, 0)).split(" ");
    return { atMs: performance.now(), cpuMs: Number(cpu) / 1_000_000, waitMs: Number(wait) / 1_000_000 };
  };
  let longest = none;
  let last = look();
  const timer = setInterval(() => {
    const now = look();
    const wallMs = now.atMs - last.atMs - checkMs;
    const ownMs = wallMs - (now.waitMs - last.waitMs);
    longest = longestOf(longest, { cpuMs: now.cpuMs - last.cpuMs, ownMs, wallMs });
    last = now;
  }, checkMs);
  timer.unref();
  return () => {
    const seen = longest;
    longest = none;
    return seen;
  };
}

/** The longer of two turns by each measure. */
export function longestOf(one: LongestTurn, other: LongestTurn): LongestTurn {
  return { cpuMs: Math.max(one.cpuMs, other.cpuMs), ownMs: Math.max(one.ownMs, other.ownMs), wallMs: Math.max(one.wallMs, other.wallMs) };
}
