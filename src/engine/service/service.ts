import { endingBody, isStream } from "../../ground/http/endingBody.js";
import type { Handle, HttpRequest, HttpResponse } from "../../ground/http/message.js";
import { onDemand } from "../../ground/onDemand/onDemand.js";
import { optionsCheck, strict, whole } from "../../ground/options/index.js";
import type { Principal } from "../../parts/auth/verifier.js";
import { serviceCalls } from "../calls/index.js";
import type { ApiOf, Capability } from "../capability/capability.js";
import type { Environment } from "../operation/environment.js";
import type { ServiceCalls } from "../resource/callTypes/types.js";
import type { Resource } from "../resource/resource.js";
import { buildService, type ServiceParts } from "./build.js";
import type { Health, Readiness } from "./health.js";
import type { Identifying } from "./identified.js";
import type { InFlight } from "./inFlight.js";
import type { ServiceOptions } from "./options.js";
import { authenticateRequest, identifyRequest } from "./ownRoutes.js";
import { answer, shuttingDown } from "./pipeline/handle.js";
import type { Pipeline } from "./pipeline/pipeline.js";
import { planService } from "./plan.js";

/** Adapters of hosts without `Request` do not use it. */
const loadFetch = /* @__PURE__ */ onDemand(() => import("./answerFetch.js"));

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
  /**
   * Makes the workers of this process look at once for jobs, deliveries and events of subscribers that are due, whoever enqueued them. Call it when a channel of your own says that another process
   * has enqueued work, or after your own transaction in which you called `emit(event, tx)`. It tells no other process. Without workers, and before the start, it does nothing.
   *
   * @example
   * channel.on("work", () => service.wake());
   */
  wake(): void;
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
  const parts = buildService(planService(given));
  const service = {
    ...handlersOf(parts),
    ...serviceCalls(parts.plan.options.resources, callParts(parts)),
    start: () => parts.start.run(),
    wake: () => parts.plan.capabilities.wake(),
    health: parts.health,
    ready: parts.ready,
    close: closeOnce(parts),
  };
  parts.plan.capabilities.addTo(service);
  // The calls of the collections are made by their names, which only the types know.
  return service as unknown as Service<R> & ApiOf<Use>;
}

/** What answers requests, and what judges requests to routes of the developer. */
function handlersOf({ plan, inFlight, pipeline }: ServiceParts): Pick<Service, "handle" | "fetch" | "authenticate" | "identify"> {
  const isClosing = () => inFlight.closing;
  const handle = plan.capabilities.wrapHandle(handleWithin(plan.options, pipeline, inFlight));
  return {
    handle,
    fetch: async (native) => (await loadFetch()).answerFetch({ pipeline, handle, isClosing }, native),
    async authenticate(native) {
      if (inFlight.closing) throw shuttingDown();
      return authenticateRequest(pipeline, (await loadFetch()).requestOf(native));
    },
    identify: (request) => identifyRequest(pipeline, request, inFlight.closing),
  };
}

/** Answers requests, each of which is in flight until its answer has been sent. */
function handleWithin(options: ServiceOptions, pipeline: Pipeline, inFlight: InFlight): Handle {
  const { crossOrigin, environment } = pipeline;
  const isClosing = () => inFlight.closing;
  return async (request) => {
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
  };
}

/** What calls from code need: each is in flight while it runs, and starts the service if necessary. */
function callParts({ plan, environment, inFlight, start }: ServiceParts): Parameters<typeof serviceCalls>[1] {
  return {
    environment,
    provide: (offer, calls) => plan.capabilities.provide(offer, calls),
    async begin() {
      if (inFlight.closing) throw shuttingDown();
      inFlight.enter();
      const end = () => inFlight.leave();
      if (!start.done) {
        await start.run().catch((error: unknown) => {
          end();
          throw error;
        });
      }
      return end;
    },
  };
}

/** Closes the service; later calls get the same promise. */
function closeOnce({ plan, inFlight }: ServiceParts): Service["close"] {
  const { capabilities, options } = plan;
  const { storage, idempotency } = options;
  let closed: Promise<void> | undefined;
  return (closeOptions = {}) => {
    checkCloseOptions(closeOptions);
    const { graceMs = 10_000 } = closeOptions;
    closed ??= Promise.all([inFlight.drain(graceMs), capabilities.close(graceMs)]).then(async () => {
      await storage.close?.();
      for (const each of capabilities.closes) await each.close?.();
      if (idempotency) await idempotency.store?.close?.();
    });
    return closed;
  };
}

/** The client must get its answer even if a hook throws. */
function tell(hook: NonNullable<ServiceOptions["onResponse"]>, response: HttpResponse, request: HttpRequest, { logger }: Environment): void {
  try {
    hook(response, request);
  } catch (fault) {
    logger.error({ err: fault }, "onResponse threw.");
  }
}
