import { openSync, readSync } from "node:fs";

/** The longest hold of the event loop, in milliseconds. */
export interface Hold {
  /** Processor time of the main thread, so that a busy machine makes it no longer; wall clock where the system does not tell. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** Measures how long one turn of the event loop takes at most. */
export interface HoldMeter {
  start(): void;
  stop(): Hold;
}

/** A meter of the event loop of this thread. It keeps the loop turning while it runs. */
export function holdMeter(): HoldMeter {
  const cpuMs = mainThreadCpu() ?? (() => performance.now());
  let longest = { cpuMs: 0, wallMs: 0 };
  let last = { cpuMs: 0, wallMs: 0 };
  let runs = false;
  const turn = () => {
    if (!runs) return;
    look();
    setImmediate(turn);
  };
  const look = () => {
    const now = { cpuMs: cpuMs(), wallMs: performance.now() };
    longest = { cpuMs: Math.max(longest.cpuMs, now.cpuMs - last.cpuMs), wallMs: Math.max(longest.wallMs, now.wallMs - last.wallMs) };
    last = { cpuMs: cpuMs(), wallMs: performance.now() };
  };
  return {
    start() {
      runs = true;
      longest = { cpuMs: 0, wallMs: 0 };
      last = { cpuMs: cpuMs(), wallMs: performance.now() };
      setImmediate(turn);
    },
    stop() {
      look();
      runs = false;
      return longest;
    },
  };
}

/** Processor time of the main thread alone, in milliseconds; `undefined` where the system does not tell. @see proc(5), `/proc/pid/schedstat` */
export function mainThreadCpu(): (() => number) | undefined {
  const buffer = Buffer.alloc(128);
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
    return () => {
      // Linux brings the figure up to date on this call; otherwise it lags by a tick of up to 4 ms.
      process.cpuUsage();
      const length = readSync(file, buffer, 0, buffer.length, 0);
      return Number(buffer.toString("latin1", 0, length).split(" ", 1)[0]) / 1_000_000;
    };
  } catch {
    return undefined;
  }
}
