import { ProblemError } from "../../problem/index.js";
import type { Timer, Timers } from "../timers.js";

/** How fast a body must arrive. */
export interface BodyPace {
  /** Longest pause in milliseconds, and the time over which the rate is measured. */
  readonly stallMs: number;
  /** Minimum bytes per second, on average over `stallMs`; 0 for no minimum. */
  readonly bytesPerSecond: number;
}

const looksPerStall = 4;

/**
 * Watches a body while its next chunk is awaited. A client that sends nothing for `stallMs` (detected after 1.25 times that at the latest) is refused. So is one that
 * sends single bytes slowly: it could hold its connection for days.
 *
 * It checks four times per `stallMs` instead of arming a timer for each chunk. A check while the reader is busy does not count: a slow reader is not a slow client.
 */
export class BodyWatch {
  readonly #timers: Timers;
  readonly #pace: BodyPace;
  readonly #recent: number[] = [];
  #bytes = 0;
  #quietLooks = 0;
  #timer: Timer | undefined;
  #fail: ((problem: ProblemError) => void) | undefined;
  #ended = false;

  constructor(timers: Timers, pace: BodyPace) {
    this.#timers = timers;
    this.#pace = pace;
  }

  /** A chunk is awaited from now on. @param fail called once if the client is too slow */
  wait(fail: (problem: ProblemError) => void): void {
    this.#fail = fail;
    if (!this.#ended) this.#timer ??= this.#timers.setTimeout(this.#look, Math.ceil(this.#pace.stallMs / looksPerStall));
  }

  /** A chunk has arrived, and none is awaited. */
  arrived(bytes: number): void {
    this.#fail = undefined;
    this.#bytes += bytes;
    // Only a part of the next interval is quiet, so the next check must not count.
    this.#quietLooks = -1;
  }

  get ended(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  readonly #look = () => {
    this.#timer = undefined;
    const fail = this.#fail;
    // Awaiting the next chunk arms the timer again.
    if (fail === undefined) return;
    this.#quietLooks += 1;
    this.#recent.push(this.#bytes);
    this.#bytes = 0;
    if (this.#recent.length > looksPerStall) this.#recent.shift();
    const problem = this.#quietLooks >= looksPerStall ? stalled(this.#pace) : this.#isSlow() ? tooSlow(this.#pace) : undefined;
    if (problem === undefined) return this.wait(fail);
    this.end();
    fail(problem);
  };

  #isSlow(): boolean {
    const { bytesPerSecond, stallMs } = this.#pace;
    const bytes = this.#recent.reduce((sum, each) => sum + each, 0);
    return this.#recent.length === looksPerStall && bytes * 1_000 < bytesPerSecond * stallMs;
  }
}

function stalled({ stallMs }: BodyPace): ProblemError {
  return new ProblemError("REQUEST_TIMEOUT", `No bytes of the body arrived for ${stallMs / 1_000} s.`, { headers: { connection: "close" } });
}

function tooSlow({ bytesPerSecond }: BodyPace): ProblemError {
  return new ProblemError("REQUEST_TIMEOUT", `The body arrives slower than ${bytesPerSecond} bytes a second.`, { headers: { connection: "close" } });
}
