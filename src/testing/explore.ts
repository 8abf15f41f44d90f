import { setTimeout } from "node:timers/promises";
import { optionsCheck, strict, whole } from "../ground/options/index.js";
import { ConfigurationError } from "../ground/problem/index.js";
import { type InterleavedService, type TestService, testService, turnsOf } from "./testService.js";

/** Options of `explore`. */
export interface ExploreOptions {
  /** How many seeds are tried (200). */
  readonly runs?: number | undefined;
  /** The first seed; each run takes the next one (1). */
  readonly seed?: number | undefined;
  /** After how many milliseconds without a call of the store a run is given up (2,000). Work outside of the store, such as hashing a password, must take less. */
  readonly idleMs?: number | undefined;
}

/** One run of `explore`. */
export interface Exploration {
  readonly seed: number;
  /** Makes a service with `interleave: seed`, which is closed after the run. */
  readonly testService: InterleavedService;
}

const check = /* @__PURE__ */ optionsCheck("explore", () => strict<ExploreOptions>({ runs: whole(1), seed: whole(0), idleMs: whole(1) }));

/**
 * Runs a test with seed after seed, to find an order of the calls of its transactions that breaks a rule. It stops at the first run that fails.
 *
 * @throws {Error} with the seed, the last calls of the store, and the error of the run as its cause
 * @throws {ConfigurationError} for an unknown option
 * @example
 * await explore({ runs: 200 }, async (t) => {
 *   const { asSystem } = t.testService([bookings]);
 *   await Promise.allSettled([1, 2, 3].map(() => asSystem().bookings.create({ show: 7 })));
 *   expect(await asSystem().bookings.count()).toBe(1);
 * });
 */
export async function explore(options: ExploreOptions, run: (t: Exploration) => Promise<unknown>): Promise<void> {
  check(options);
  if (typeof run !== "function") throw new ConfigurationError(`explore: the second argument must be a function, which gets the services of a run.`);
  const { runs = 200, seed: first = 1, idleMs = 2_000 } = options;
  for (let seed = first; seed < first + runs; seed++) {
    const services: TestService[] = [];
    try {
      await within(run({ seed, testService: openerOf(seed, services) }), services, idleMs);
    } catch (cause) {
      throw new Error(report(seed, `run ${seed - first + 1} of ${runs}`, services, cause), { cause });
    } finally {
      for (const service of services) await service.close();
    }
  }
}

function openerOf(seed: number, services: TestService[]): InterleavedService {
  return (given) => {
    const options = Array.isArray(given) ? { resources: given } : given;
    if ("interleave" in options || "storage" in options) {
      throw new ConfigurationError(`explore: "testService" takes neither "interleave" nor "storage": it has the seed of the run.`);
    }
    const service = testService({ ...options, interleave: seed } as Parameters<typeof testService>[0]);
    services.push(service);
    return service as never;
  };
}

/** More calls in one run are a loop without an end. */
const maxCalls = 20_000;

/** Waits for a run, unless it stands still. @throws {Error} */
async function within(running: Promise<unknown>, services: readonly TestService[], idleMs: number): Promise<void> {
  const end = new AbortController();
  // The run may fail after it was given up.
  running.catch(() => {});
  try {
    await Promise.race([running, requireProgress(services, idleMs, end.signal)]);
  } finally {
    end.abort();
  }
}

async function requireProgress(services: readonly TestService[], idleMs: number, signal: AbortSignal): Promise<void> {
  const count = () => services.reduce((sum, { order }) => sum + order.length, 0);
  for (let before = -1; ; ) {
    const calls = count();
    if (calls > maxCalls) throw new Error(`The run does not end: it has made more than ${maxCalls.toLocaleString("en-US")} calls of the store.`);
    const isIdle = calls === before && services.every((service) => turnsOf(service)?.isIdle);
    if (isIdle) throw new Error(`The run stands still: for ${idleMs} ms it has made no call of the store. ${blockedCalls(services)}`);
    before = calls;
    await setTimeout(idleMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
  }
}

function blockedCalls(services: readonly TestService[]): string {
  const blocked = services.flatMap((service) => turnsOf(service)?.blocked ?? []);
  if (blocked.length === 0) return "None waits for a transaction; what does it await? Only the test advances the clock.";
  return `These wait for a transaction that does not end: ${blocked.join("; ")}.`;
}

/** Calls that the error shows. */
const shownCalls = 40;

function report(seed: number, run: string, services: readonly TestService[], cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const orders = services.map(({ order }) => {
    const last = order.slice(-shownCalls);
    return `The ${last.length === order.length ? "" : `last ${shownCalls} of `}${order.length} calls of the store:\n${last.map((line) => `  ${line}\n`).join("")}`;
  });
  return `Seed ${seed} (${run}) failed: ${message}\n${orders.join("")}To repeat it: explore({ runs: 1, seed: ${seed} }, …)`;
}
