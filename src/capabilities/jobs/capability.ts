import { setMaxListeners } from "node:events";
import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Environment } from "../../engine/operation/environment.js";
import { observerOf } from "../../engine/operation/work/observer.js";
import { wakeupsOf } from "../../engine/operation/work/workerWakeups.js";
import { callable, flag, optionsCheck, strict, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { isWriteOnly } from "../../language/schema/access.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { JobHandler } from "./run/handler.js";
import { JobRunner } from "./run/runner.js";
import type { JobSettings } from "./settings.js";

/** How background jobs run. */
export interface JobOptions {
  /** Whether this process runs jobs (`true`); with `false`, other processes on the same storage run them. */
  readonly work?: boolean | undefined;
  /** Jobs that this process runs concurrently. With at most `maxPerTenant`, long jobs of one tenant may use all places. Defaults to `maxPerTenant` + 2. */
  readonly concurrency?: number | undefined;
  /** Interval of polling for jobs that other processes created, in milliseconds (5,000); 30,000 while wake-ups arrive, see `wakeups` of `createService`. */
  readonly pollMs?: number | undefined;
  /** Time without a heartbeat after which another worker takes over a job, in milliseconds (60,000). */
  readonly leaseMs?: number | undefined;
  /** Jobs of one tenant that may run concurrently in all processes together (2). */
  readonly maxPerTenant?: number | undefined;
  /** Jobs of one tenant that may wait in the queue (20); more are answered with 429. */
  readonly maxQueuedPerTenant?: number | undefined;
  /** Whether a principal may see and cancel all jobs of its tenant (default: no principal may). */
  readonly isAdmin?: ((principal: Principal) => boolean) | undefined;
}

const checkJobOptions = /* @__PURE__ */ optionsCheck("jobs", () =>
  strict<JobOptions>({
    work: flag(),
    concurrency: whole(1),
    pollMs: whole(1),
    leaseMs: whole(1),
    maxPerTenant: whole(1),
    maxQueuedPerTenant: whole(0),
    isAdmin: callable(),
  }),
);

/**
 * Jobs: work that continues after its request was answered. The storage keeps jobs and this process runs them. `batch()`, `transfer()` and `webhooks()` use
 * jobs for long work; without `jobs()` they do it within the request, or refuse it.
 *
 * @throws {ConfigurationError} for an unknown option or a wrong value, and at `createService` if the storage keeps no jobs
 * @example
 * createService({ resources, storage, use: [jobs({ concurrency: 8 }), batch()] });
 */
export function jobs(options: JobOptions = {}): Capability {
  checkJobOptions(options);
  return { name: "jobs", open: (host) => openJobs(options, host) };
}

function openJobs(options: JobOptions, host: Host): OpenCapability {
  const { environment } = host;
  const { storage } = environment;
  const { jobs: store } = storage;
  if (store === undefined) throw new ConfigurationError(`jobs(): the storage "${storage.name}" keeps no jobs.`);
  if (environment.principals === undefined && hasScopes(environment)) {
    const message = `Jobs run with the scopes and claims of their requests, also after these have been taken away. Give "principals" to createService: { reload } or { reload: false }.`;
    environment.logger.warn({}, message);
  }
  const { isAdmin = () => false, maxQueuedPerTenant = 20, work = true, ...runnerOptions } = options;
  const handlers: JobHandler[] = [];
  const closing = new AbortController();
  // Each open event stream adds a listener, and there may be many.
  setMaxListeners(0, closing.signal);
  const wakeups = wakeupsOf(environment);
  let runner: JobRunner | undefined;
  const settings: JobSettings = {
    store,
    isAdmin,
    maxQueuedPerTenant,
    wake() {
      runner?.wake();
      wakeups.send(["jobs"]);
    },
    closing: closing.signal,
    works: work,
    hasWriteOnly: (collections, version) => hasWriteOnly(host, collections, version),
    trace: () => observerOf(environment)?.trace(),
    handle(handler) {
      if (handlers.some(({ type }) => type === handler.type)) throw new ConfigurationError(`Jobs of the type "${handler.type}" have two handlers.`);
      handlers.push(handler);
    },
  };
  return {
    offers: settings,
    describes: async () => ({ describe: (await import("./description/describeJobs.js")).describeJobs }),
    start() {
      if (!work || closing.signal.aborted || runner !== undefined) return;
      runner = new JobRunner({ store, handlers, ...environment, ...runnerOptions, wakeups, observer: observerOf(environment) });
      runner.start();
    },
    wake: () => runner?.look(),
    async close(graceMs) {
      closing.abort();
      await runner?.close({ graceMs });
    },
  };
}

/** A version may hide a write-only field whose value is stored nevertheless, so the fields of the schemas count in every version. */
function hasWriteOnly({ resources, resourcesIn }: Host, collections: readonly string[] | undefined, version: string | undefined): boolean {
  return [resources, resourcesIn(version)].some((known) =>
    (collections ?? [...known.keys()]).some((name) => [...(known.get(name)?.fields.values() ?? [])].some(isWriteOnly)),
  );
}

function hasScopes({ rules = new Map() }: Environment): boolean {
  return [...rules.values()].some(({ scope }) => scope !== undefined);
}
