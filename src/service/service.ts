import type { Principal, Verifier } from "../auth/verifier.js";
import { serviceCalls } from "../calls/index.js";
import type { ApiOf, Capability } from "../capability/capability.js";
import { endingBody, isStream } from "../http/endingBody.js";
import { fetchBody, fetchRequest } from "../http/fetchMessage.js";
import type { Handle, HttpRequest, HttpResponse } from "../http/message.js";
import { splitTarget } from "../http/target.js";
import { resolveLimits } from "../limits/limits.js";
import type { Environment } from "../operation/environment.js";
import type { Method } from "../operation/operation.js";
import { optionsCheck, strict, whole } from "../options/index.js";
import { ConfigurationError } from "../problem/index.js";
import type { ServiceCalls } from "../resource/callTypes/types.js";
import { linkResources } from "../resource/relations/link.js";
import type { Resource } from "../resource/resource.js";
import { generate, stamp } from "../resource/write/rowValues.js";
import { Capabilities } from "./capabilities.js";
import { checkOptions } from "./checkOptions.js";
import { createEnvironment, systemParts } from "./environment.js";
import { fetchWith } from "./fetchWith.js";
import { answer, type Pipeline, run, shuttingDown } from "./handle.js";
import { type Health, type Readiness, readinessOf } from "./health.js";
import type { Identifying } from "./identified.js";
import { InFlight } from "./inFlight.js";
import type { ServiceOptions } from "./options.js";
import { authenticateRequest, identifyRequest } from "./ownRoutes.js";
import { probeRoutes } from "./probes.js";
import { Router } from "./router.js";
import { resourceRoutes } from "./routes.js";
import { RuleLimit } from "./ruleLimit.js";
import { startOnce } from "./start.js";

/** Options of `close`. */
export interface CloseOptions {
  /** How long to wait for running requests, in milliseconds (10,000). */
  readonly graceMs?: number | undefined;
}

const checkCloseOptions = /* @__PURE__ */ optionsCheck("close", () => strict<CloseOptions>({ graceMs: whole(0) }));

/** An API, ready to be bound to a host by one of the adapters. */
export interface Service<R extends readonly Resource[] = readonly Resource[]> extends ServiceCalls<R> {
  /** Answers a request; `undefined` for a path that this service does not serve. Never rejects. */
  readonly handle: Handle;
  /** Creates or upgrades the storage's schema. Runs automatically before the first request that needs it; await it to see start-up errors early. */
  start(): Promise<void>;
  /**
   * Answers a request in process, with the whole pipeline, for tests and rendering on the server. A path that this service does not serve is a 404 problem.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * The principal of a request to a route of your own, which your server answers: by the verifiers in `auth`, within the limits of `rateLimit()` and in the tenant that `tenant`
   * chooses. The body stays unread. `requirePrincipal` of each host answers refusals too.
   *
   * @throws {ProblemError} UNAUTHENTICATED with `headers["www-authenticate"]`, RATE_LIMITED, and what verifiers throw
   * @throws {ConfigurationError} if the service has no verifiers
   * @example
   * const { id } = await service.authenticate(request);
   */
  authenticate(request: Request): Promise<Principal>;
  /** The same for adapters: the principal, or the answer that refuses the request. */
  readonly identify: Identifying["identify"];
  /** Whether the service is running or closing. */
  health(): Health;
  /** Whether the service can answer requests now. */
  ready(): Promise<Readiness>;
  /** Refuses new requests with 503, waits for running ones, then closes the storage. @throws {ConfigurationError} */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Creates a service from resources, a storage and the capabilities in `use`.
 *
 * @throws {ConfigurationError} for invalid or conflicting options
 * @example
 * const service = createService({ resources: [users], storage: memoryStorage(), use: [jobs(), batch()] });
 */
export function createService<const R extends readonly Resource[], const Use extends readonly Capability[] = readonly []>(
  given: ServiceOptions<Use, R>,
): Service<R> & ApiOf<Use> {
  checkOptions(given);
  const system = systemParts(given);
  const { use = [] } = given;
  const ruleLimit = new RuleLimit({ timers: system.timers, limits: resolveLimits(given.limits) });
  const options = ruleLimit.options({ ...given, logger: system.logger });
  for (const each of use.toReversed()) Object.assign(options, each.wrap?.(options));
  const { storage, idempotency, resources } = options;
  const capabilities = new Capabilities(use);
  const start = startOnce(options, async () => {
    for (const verifier of environment.verifiers) await verifier.start?.();
    await capabilities.start();
  });
  const versions = new Map<string, Environment>();
  const environment = createEnvironment(options, system, {
    start,
    offers: capabilities,
    rowEvents: () => capabilities.rowEvents,
    rowHooks: () => capabilities.rowHooks,
    versions,
    limitRules: ruleLimit.rules,
    fixedSegments: (collection) => pipeline.router.literalsBelow(collection),
  });
  const linked = linkResources(resources);
  const inFlight = new InFlight(environment.timers);
  const others = () => capabilities.versions?.others ?? [];
  capabilities.open({
    environment,
    resources: linked,
    link: linkResources,
    resourcesIn: (version) => others().find(({ name }) => name === version)?.resources ?? linked,
    hasOwnSecrets: options.secrets !== undefined,
    get isClosing() {
      return inFlight.closing;
    },
    started: () => start.run(),
    newRow(collection, values) {
      const resource = linked.get(collection)?.resource;
      if (resource === undefined) throw new ConfigurationError(`There is no collection "${collection}".`);
      const now = new Date(environment.clock.now());
      return { ...generate(resource, environment, now), ...values, ...stamp(environment, now) };
    },
    find(method, path) {
      const match = pipeline.router.match(path);
      return match && { endpoint: match.endpoint, operation: match.endpoint.operations.get(method as Method) };
    },
    run(request, requestId, inherited) {
      const served = pipeline.inVersion.get(inherited.environment.version?.name ?? "") ?? pipeline;
      return run(served, request, { requestId, match: served.router.match(request.path), address: request.address }, inherited);
    },
  });
  const { dependencies } = capabilities;
  const health = (): Health => ({ status: inFlight.closing ? "closing" : "ok" });
  const ready = readinessOf(options, { clock: environment.clock, timers: environment.timers, inFlight, start, dependencies });
  const probes = probeRoutes(options.probes ?? {}, health, ready, dependencies);
  const routed = (collections: typeof linked) =>
    new Router(capabilities.adapt([...resourceRoutes(collections, environment), ...capabilities.routesFor(collections), ...probes], collections));
  const inVersion = new Map<string, Pipeline>();
  const pipeline: Pipeline = {
    environment,
    resources,
    router: routed(linked),
    verify: ruleLimit.verify,
    start,
    openBody: environment.verifiers.find(({ openBody }) => openBody !== undefined)?.openBody,
    vary: varyOf(environment.verifiers, options.tenant !== undefined),
    anonymousKeys: idempotency === false || idempotency?.anonymous !== "refuse",
    ignoresKeys: idempotency === false,
    notFoundProblem: options.notFound === "problem",
    limitRate: capabilities.limitRate,
    crossOrigin: capabilities.crossOrigin,
    versions: capabilities.versions,
    inVersion,
    options,
  };
  for (const { name, resources, environment: own } of others()) {
    versions.set(name, own);
    const all = [...resources.values()].map(({ resource }) => resource);
    inVersion.set(name, { ...pipeline, environment: own, resources: all, router: routed(resources) });
  }
  capabilities.check(pipeline.router.routes);
  const { crossOrigin } = pipeline;
  const isClosing = () => inFlight.closing;
  const handle = capabilities.wrapHandle(async (request: HttpRequest): Promise<HttpResponse | undefined> => {
    inFlight.enter();
    let isEnding = true;
    try {
      let response = await answer(pipeline, request, isClosing);
      if (response && crossOrigin) response = await crossOrigin.answer(request, response);
      if (response !== undefined && options.onResponse) tell(options.onResponse, response, request, environment);
      if (!isStream(response?.body)) return response;
      isEnding = false;
      return { ...response, body: endingBody(response.body, () => inFlight.leave()) };
    } finally {
      if (isEnding) inFlight.leave();
    }
  });
  let closed: Promise<void> | undefined;
  const service = {
    handle,
    fetch: fetchWith(pipeline, handle, isClosing),
    ...serviceCalls(resources, {
      environment,
      provide: (offer, calls) => capabilities.provide(offer, calls),
      async begin() {
        if (inFlight.closing) throw shuttingDown();
        inFlight.enter();
        const end = () => inFlight.leave();
        if (!start.done)
          await start.run().catch((error: unknown) => {
            end();
            throw error;
          });
        return end;
      },
    }),
    async authenticate(native: Request) {
      if (inFlight.closing) throw shuttingDown();
      return authenticateRequest(pipeline, fetchRequest(native, { ...splitTarget(native.url), mount: "" }, fetchBody(native), native));
    },
    identify: (request: HttpRequest) => identifyRequest(pipeline, request, inFlight.closing),
    start: () => start.run(),
    health,
    ready,
    close(closeOptions: CloseOptions = {}) {
      checkCloseOptions(closeOptions);
      const { graceMs = 10_000 } = closeOptions;
      closed ??= Promise.all([inFlight.drain(graceMs), capabilities.close(graceMs)]).then(async () => {
        await storage.close?.();
        for (const each of capabilities.closes) await each.close?.();
        if (idempotency) await idempotency.store?.close?.();
      });
      return closed;
    },
  };
  capabilities.addTo(service);
  // The calls of the collections are made by their names, which only the types know.
  return service as unknown as Service<R> & ApiOf<Use>;
}

/** The client must get its answer even if a hook throws. */
function tell(hook: NonNullable<ServiceOptions["onResponse"]>, response: HttpResponse, request: HttpRequest, { logger }: Environment): void {
  try {
    hook(response, request);
  } catch (fault) {
    logger.error({ err: fault }, "onResponse threw.");
  }
}

/** The value of `Vary`: every header that can carry credentials, and that of the tenant. */
function varyOf(verifiers: readonly Verifier[], hasTenants: boolean): string | undefined {
  const names = new Set(verifiers.flatMap(({ headers = ["Authorization"] }) => headers));
  if (hasTenants) names.add("X-Tenant-ID");
  return names.size === 0 ? undefined : [...names].join(", ");
}
