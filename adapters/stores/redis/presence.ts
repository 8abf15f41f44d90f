import { randomBytes } from "node:crypto";
import { defineScript, type Script } from "./script.js";

/** How long a process counts as alive after its last heartbeat. */
const lifeMs = 5_000;
/** How often a process sends a heartbeat while it holds operations. */
const beatMs = 1_000;

/** Values: lifetime in milliseconds. */
const beatScript = defineScript("redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])\nreturn 1\n");
const isAliveScript = defineScript("return redis.call('EXISTS', KEYS[1])\n");

/**
 * Tells which processes on one Redis are alive. A process that holds operations renews a key once a second, which expires by itself; a process that holds none
 * sends nothing.
 */
export class RedisPresence {
  /** The id that marks leases of this process. */
  readonly holder = randomBytes(12).toString("hex");
  readonly #run: (script: Script, key: string, ...values: number[]) => Promise<unknown>;
  /** When the lease of each held operation ends, by the clock of this process. */
  readonly #held = new Map<string, number>();
  #beatenMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: (script: Script, key: string, ...values: number[]) => Promise<unknown>) {
    this.#run = run;
  }

  /** Sends a heartbeat, if the last one is old, before this process gets a lease. */
  async announce(): Promise<void> {
    if (performance.now() - this.#beatenMs >= beatMs) await this.#beat();
  }

  /** Notes that an operation is held, until its lease ends or it is released. */
  hold(id: string, leaseMs: number): void {
    this.#held.set(id, performance.now() + leaseMs);
    this.#timer ??= setInterval(() => this.#beatWhileHeld(), beatMs).unref();
  }

  release(id: string): void {
    this.#held.delete(id);
  }

  /** Whether a process sent a heartbeat recently. */
  async isAlive(holder: string): Promise<boolean> {
    return holder === this.holder || Number(await this.#run(isAliveScript, `holder:${holder}`)) === 1;
  }

  async #beat(): Promise<void> {
    const startedMs = performance.now();
    await this.#run(beatScript, `holder:${this.holder}`, lifeMs);
    this.#beatenMs = startedMs;
  }

  #beatWhileHeld(): void {
    const nowMs = performance.now();
    for (const [id, endsMs] of this.#held) if (endsMs <= nowMs) this.#held.delete(id);
    // A failed heartbeat is repeated after one second, up to four times before others regard this process as dead.
    if (this.#held.size > 0) return void this.#beat().catch(() => {});
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
