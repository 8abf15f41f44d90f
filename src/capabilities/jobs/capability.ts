import { setMaxListeners } from "node:events";
import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Environment } from "../../engine/operation/environment.js";
import type { Enqueuing } from "../../engine/operation/work/enqueuing.js";
import { observerOf } from "../../engine/operation/work/observer.js";
import { wakeupsOf } from "../../engine/operation/work/workerWakeups.js";
import { isObject } from "../../ground/http/isObject.js";
import { callable, flag, optionsCheck, passing, strict, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { JobStore } from "../../ground/storage/queue/jobs.js";
import { isWriteOnly } from "../../language/schema/access.js";
import type { Principal } from "../../parts/auth/verifier.js";
import { type JobApi, serviceJobs } from "./own/api.js";
import type { JobDefinitions } from "./own/definition.js";
import { OwnJobs } from "./own/ownJobs.js";
import { JobRunner } from "./run/runner.js";
import { type Schedule, schedulesRule } from "./schedules/schedule.js";
import type { JobSettings } from "./settings.js";
import { SharedPath, sharedPath } from "./sharedPath.js";

/** How background jobs run. */
export interface JobOptions<Handlers extends JobDefinitions = JobDefinitions> {
  /** Kinds of jobs of your own, by name: `job({ input, run })`. */
  readonly handlers?: Handlers | undefined;
  /** Times of a calendar at which jobs of `handlers` run, whichever process of the same storage creates them first. */
  readonly schedules?: readonly Schedule<keyof NoInfer<Handlers> & string>[] | undefined;
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
  /** Jobs of requests of one tenant that may wait in the queue (20); more are answered with 429. Those of `handlers` do not count. */
  readonly maxQueuedPerTenant?: number | undefined;
  /** Whether a principal may see and cancel all jobs of its tenant (default: no principal may). */
  readonly isAdmin?: ((principal: Principal) => boolean) | undefined;
}

const checkJobOptions = /* @__PURE__ */ optionsCheck("jobs", () =>
  strict<JobOptions>({
    handlers: passing("an object of kinds of jobs, each made by job()", isObject),
    schedules: schedulesRule(),
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
 * jobs for long work; without `jobs()` they do it within the request, or refuse it. `handlers` are kinds of jobs of your own.
 *
 * @throws {ConfigurationError} for an unknown option or a wrong value, and at `createService` if the storage keeps no jobs
 * @example
 * createService({ resources, storage, use: [jobs({ concurrency: 8 }), batch()] });
 */
export function jobs<const Handlers extends JobDefinitions = Readonly<Record<never, never>>>(
  options: JobOptions<Handlers> = {},
): Capability<JobApi<Handlers>> {
  checkJobOptions(options);
  const { handlers = {}, schedules = [], ...others } = options;
  const own = new OwnJobs(handlers, schedules);
  return {
    name: "jobs",
    ...(own.names.size > 0 && { paths: { [sharedPath]: "jobs are there" } }),
    // The names of the handlers are for the compiler.
    open: (host) => openJobs(others, own, host) as OpenCapability<JobApi<Handlers>>,
  };
}

function openJobs(options: Omit<JobOptions, "handlers" | "schedules">, own: OwnJobs, host: Host): OpenCapability<JobApi> {
  const { environment } = host;
  const store = storeOf(environment);
  const { isAdmin, maxQueuedPerTenant, work = true, ...runnerOptions } = options;
  const handlers = own.handlers(host, store);
  const shared = new SharedPath(own.names);
  const closing = new AbortController();
  // Each open event stream adds a listener, and there may be many.
  setMaxListeners(0, closing.signal);
  const wakeups = wakeupsOf(environment);
  let runner: JobRunner | undefined;
  const settings: JobSettings = {
    ...{ store, isAdmin: isAdmin ?? (() => false), maxQueuedPerTenant: maxQueuedPerTenant ?? 20 },
    wake() {
      runner?.wake();
      wakeups.send(["jobs"]);
    },
    ...{ closing: closing.signal, works: work },
    requestTypes: () => handlers.map(({ type }) => type).filter((type) => !own.names.has(type)),
    hasWriteOnly: (collections, version) => hasWriteOnly(host, collections, version),
    trace: () => observerOf(environment)?.trace(),
    handle(handler) {
      if (handlers.some(({ type }) => type === handler.type)) throw new ConfigurationError(`Jobs of the type "${handler.type}" have two handlers.`);
      handlers.push(handler);
    },
    show: (type, shown) => shared.show(type, shown),
  };
  return {
    offers: { ...settings, ...own.within(settings, host) } satisfies JobSettings & Partial<Enqueuing>,
    routesFor: () => shared.routes(settings),
    api: {
      jobs: serviceJobs(settings, host, (name, ...[input, enqueued]) => own.enqueue(settings, host, name, input, enqueued)),
      schedules: { list: () => own.schedules(environment.clock.now()) },
    },
    describes: async () => ({ describe: (await import("./description/describeJobs.js")).describeJobs }),
    async start() {
      await own.start(settings, host);
      if (!work || closing.signal.aborted || runner !== undefined) return;
      runner = new JobRunner({ store, handlers, ...environment, ...runnerOptions, wakeups, observer: observerOf(environment) });
      runner.start();
    },
    wake: () => runner?.look(),
    async close(graceMs) {
      closing.abort();
      await own.close();
      await runner?.close({ graceMs });
    },
  };
}

/** @throws {ConfigurationError} for a storage that keeps no jobs */
function storeOf(environment: Environment): JobStore {
  const { storage, principals, logger } = environment;
  if (storage.jobs === undefined) throw new ConfigurationError(`jobs(): the storage "${storage.name}" keeps no jobs.`);
  if (principals === undefined && hasScopes(environment)) {
    const message = `Jobs run with the scopes and claims of their requests, also after these have been taken away. Give "principals" to createService: { reload } or { reload: false }.`;
    logger.warn({}, message);
  }
  return storage.jobs;
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
