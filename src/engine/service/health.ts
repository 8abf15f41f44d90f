import type { Clock } from "../../ground/clock/clock.js";
import type { Timers } from "../../ground/http/timers.js";
import type { Dependency } from "../capability/capability.js";
import type { InFlight } from "./inFlight.js";
import type { ServiceOptions } from "./options.js";
import type { Start } from "./start.js";

export interface Health {
  readonly status: "ok" | "closing";
}

export interface Readiness {
  readonly ready: boolean;
  /** Name of the store, and whether it accepts writes. */
  readonly storage: { readonly name: string; readonly ok: boolean };
  /** Whether the store of idempotency keys accepts writes, if it is a separate store. */
  readonly keys?: { readonly ok: boolean } | undefined;
  /** Whether the dependencies of capabilities are available, by name: `blobs`, `uploads`. */
  readonly [dependency: string]: boolean | { readonly name?: string; readonly ok: boolean } | undefined;
}

/** Timeout of a check: a part that does not answer in this time is not ready. */
const timeoutMs = 2_000;
/** How long a result is reused: load balancers ask often, and each check writes to the storage. */
const freshMs = 1_000;

interface HealthSources {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly inFlight: InFlight;
  readonly start: Start;
  /** The dependencies of capabilities, by name. */
  readonly dependencies: ReadonlyMap<string, readonly Dependency[]>;
}

/** Checks everything that requests need, at most once a second. */
export function readinessOf(
  { storage, idempotency }: ServiceOptions,
  { clock, timers, inFlight, start, dependencies }: HealthSources,
): () => Promise<Readiness> {
  const keys = idempotency ? idempotency.store : undefined;
  const answers = (ask: () => Promise<void> | undefined) => answersInTime(ask, timers);
  const askAll = async () => {
    const [storageOk, keysOk, ...others] = await Promise.all([
      answers(async () => {
        await start.run();
        await (storage.probe === undefined ? storage.ping?.() : storage.probe());
      }),
      answers(() => keys?.ping?.()),
      ...[...dependencies.values()].map((parts) => answers(async () => void (await Promise.all(parts.map(async (part) => part.ping()))))),
    ]);
    return {
      ready: storageOk && keysOk && others.every((ok) => ok),
      storage: { name: storage.name, ok: storageOk },
      ...(keys === undefined ? {} : { keys: { ok: keysOk } }),
      ...Object.fromEntries([...dependencies.keys()].map((name, index) => [name, { ok: others[index] === true }])),
    };
  };
  let last: { readonly atMs: number; readonly found: Promise<Readiness> } | undefined;
  return async () => {
    const nowMs = clock.now();
    if (last === undefined || Math.abs(nowMs - last.atMs) >= freshMs) last = { atMs: nowMs, found: askAll() };
    const found = await last.found;
    return { ...found, ready: found.ready && !inFlight.closing };
  };
}

function answersInTime(ask: () => Promise<void> | undefined, timers: Timers): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = timers.setTimeout(() => resolve(false), timeoutMs);
    const settle = (ok: boolean) => {
      timer.cancel();
      resolve(ok);
    };
    Promise.resolve()
      .then(ask)
      .then(
        () => settle(true),
        () => settle(false),
      );
  });
}
