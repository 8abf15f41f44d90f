import type { Handle, HttpRequest, HttpResponse } from "../http/message.js";
import { systemTimers } from "../http/timers.js";
import { resolveLimits } from "../limits/limits.js";
import { pooledRandom, systemClock, systemIds } from "../operation/clock.js";
import type { Environment } from "../operation/environment.js";
import { silentLogger } from "../operation/logger.js";
import { ConfigurationError } from "../problem/index.js";
import { columnKind } from "../schema/field.js";
import type { Collection } from "../storage/collection.js";
import { complete } from "../storage/complete.js";
import { answer, type Pipeline } from "./handle.js";
import { InFlight } from "./inFlight.js";
import type { ServiceOptions } from "./options.js";
import { probeRoutes } from "./probes.js";
import { Router } from "./router.js";
import { resourceRoutes } from "./routes.js";

export interface Health {
  readonly status: "ok" | "closing";
}

export interface Readiness {
  readonly ready: boolean;
  /** Name of the store and whether it answers. */
  readonly storage: { readonly name: string; readonly ok: boolean };
}

/** An API, ready to be bound to a host by one of the adapters. */
export interface Service {
  /** Answers a request; `undefined` where the path is none of ours. Never rejects. */
  readonly handle: Handle;
  /** Creates or upgrades what the storage needs. Done once by itself, before the first request that needs it; awaiting it makes start-up faults loud. */
  start(): Promise<void>;
  /** Whether the process lives. */
  health(): Health;
  /** Whether requests would be answered now. */
  ready(): Promise<Readiness>;
  /** Refuses new requests with 503, waits for those under way (10 s unless said otherwise), then closes the storage. */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}

/**
 * Makes a service of resources and a storage.
 *
 * @throws {ConfigurationError} for anything that cannot work
 * @example
 * const service = createService({ resources: [users], storage: memoryStorage() });
 */
export function createService(options: ServiceOptions): Service {
  checkOptions(options);
  const environment = createEnvironment(options);
  const inFlight = new InFlight(environment.timers);
  const start = startOnce(options);
  const health = (): Health => ({ status: inFlight.closing ? "closing" : "ok" });
  const ready = () => readiness(options, inFlight, start);
  const pipeline: Pipeline = {
    environment,
    router: new Router([
      ...options.resources.flatMap((resource) => resourceRoutes(resource, environment.limits)),
      ...probeRoutes(options.probes ?? {}, health, ready),
    ]),
    start,
    anonymousAllowed: environment.verifiers.length === 0 || options.anonymous === "allow",
    notFoundProblem: options.notFound === "problem",
    problemDocs: options.problemDocs,
    onError: options.onError,
  };
  const answered = async (request: HttpRequest): Promise<HttpResponse | undefined> => {
    const response = await answer(pipeline, request, inFlight.closing);
    if (response !== undefined && options.onResponse) tell(options.onResponse, response, request, environment);
    return response;
  };
  return {
    handle: (request) => inFlight.track(answered(request)),
    start: () => start.run(),
    health,
    ready,
    async close({ graceMs = 10_000 } = {}) {
      await inFlight.drain(graceMs);
      await options.storage.close?.();
    },
  };
}

/** A hook that throws must not cost the client its answer. */
function tell(hook: NonNullable<ServiceOptions["onResponse"]>, response: HttpResponse, request: HttpRequest, { logger }: Environment): void {
  try {
    hook(response, request);
  } catch (fault) {
    logger.error({ err: fault }, "onResponse threw.");
  }
}

function createEnvironment(options: ServiceOptions): Environment {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? pooledRandom();
  const collections = new Map<string, Required<Collection>>(
    options.resources.map(({ name, model }) => [name, complete(options.storage.collection(model), model.id)]),
  );
  return {
    clock,
    random,
    ids: options.ids ?? systemIds(clock, random),
    timers: options.timers ?? systemTimers,
    limits: resolveLimits(options.limits),
    logger: options.logger ?? silentLogger,
    verifiers: options.auth ?? [],
    authorize: options.authorize,
    baseUrl: options.baseUrl?.replace(/\/+$/, ""),
    collection(name) {
      const collection = collections.get(name);
      if (collection === undefined) throw new ConfigurationError(`There is no collection "${name}".`);
      return collection;
    },
  };
}

/** Migration runs once; after a failure the next request tries again. */
export interface Start {
  /** Already done: requests need not wait. */
  readonly done: boolean;
  run(): Promise<void>;
}

function startOnce({ storage, resources }: ServiceOptions): Start {
  let running: Promise<void> | undefined;
  let done = storage.migrate === undefined;
  return {
    get done() {
      return done;
    },
    run() {
      if (done) return Promise.resolve();
      running ??= Promise.resolve(storage.migrate?.(resources.map(({ model }) => model))).then(
        () => {
          done = true;
        },
        (error: unknown) => {
          running = undefined;
          throw error;
        },
      );
      return running;
    },
  };
}

async function readiness({ storage }: ServiceOptions, inFlight: InFlight, start: Start): Promise<Readiness> {
  let ok = true;
  try {
    await start.run();
    await storage.ping?.();
  } catch {
    ok = false;
  }
  return { ready: ok && !inFlight.closing, storage: { name: storage.name, ok } };
}

function checkOptions({ resources, probes, auth = [] }: ServiceOptions): void {
  const schemes = new Set<string>();
  for (const { scheme } of auth) {
    if (schemes.has(scheme))
      throw new ConfigurationError(`Two verifiers are of the scheme "${scheme}": every such credential would be claimed twice.`);
    schemes.add(scheme);
  }
  const names = new Set<string>();
  for (const { name } of resources) {
    if (names.has(name)) throw new ConfigurationError(`Two resources are called "${name}".`);
    names.add(name);
  }
  for (const path of Object.values(probes ?? {})) {
    if (path !== undefined && !/^(?:\/[A-Za-z0-9._-]+)+$/.test(path)) throw new ConfigurationError(`"${path}" cannot be a probe's path.`);
    if (path !== undefined && names.has(path.slice(1))) throw new ConfigurationError(`"${path}" is a resource's path.`);
  }
  for (const resource of resources) {
    for (const [relation, { collection, foreignKey }] of resource.relations) {
      const target = resources.find(({ name }) => name === collection);
      const key = resource.fields.get(foreignKey);
      if (target === undefined)
        throw new ConfigurationError(`${resource.name}: the relation "${relation}" names "${collection}", which is no resource.`);
      if (key && columnKind(key) !== columnKind(target.id)) {
        throw new ConfigurationError(`${resource.name}: "${foreignKey}" cannot hold an id of "${collection}": their types differ.`);
      }
    }
  }
}
