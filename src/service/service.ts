import type { Verifier } from "../auth/verifier.js";
import type { Handle, HttpRequest, HttpResponse } from "../http/message.js";
import type { Environment } from "../operation/environment.js";
import { retrying } from "../operation/retry.js";
import { ConfigurationError, ProblemError } from "../problem/index.js";
import { linkResources } from "../resource/link.js";
import type { Storage } from "../storage/storage.js";
import type { EmittedEvent } from "../webhooks/emission.js";
import { recoverHandler } from "../webhooks/recover.js";
import { batchRoutes } from "./batchRoutes.js";
import { checkOptions } from "./checkOptions.js";
import { endingBody, isStream } from "./endingBody.js";
import { basisOf, createEnvironment } from "./environment.js";
import { exportHandlers, exportRoutes, fileSweep } from "./exports.js";
import { answer, type Pipeline } from "./handle.js";
import { type Health, type Readiness, readiness } from "./health.js";
import { importHandlers, importRoutes } from "./imports.js";
import { InFlight } from "./inFlight.js";
import { jobRoutes, jobWork } from "./jobs.js";
import type { ServiceOptions } from "./options.js";
import { probeRoutes } from "./probes.js";
import { Router } from "./router.js";
import { resourceRoutes } from "./routes.js";
import { startOnce } from "./start.js";
import { uploadRoutes, uploadWork } from "./uploads.js";
import { webhookRoutes, webhookWork } from "./webhooks.js";

/** An API, ready to be bound to a host by one of the adapters. */
export interface Service {
  /** Answers a request; `undefined` where the path is none of ours. Never rejects. */
  readonly handle: Handle;
  /** Creates or upgrades what the storage needs. Done once by itself, before the first request that needs it; awaiting it makes start-up faults loud. */
  start(): Promise<void>;
  /**
   * Tells webhooks of an event of your own. With the storage of a transaction (`sqlStorage(executor, { inTransaction: true })` over your own) it is
   * delivered if and only if that commits.
   *
   * @throws {ProblemError} EVENT_TOO_LARGE
   * @throws {ConfigurationError} without webhooks, and for a type that `webhooks.events` does not name
   * @returns the event's id
   */
  emit(event: EmittedEvent, tx?: Storage): Promise<string>;
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
  const start = startOnce(options, () => {
    const recover = hooks === undefined ? [] : [recoverHandler(hooks.settings, environment)];
    work?.start(pipeline, [...recover, ...importHandlers(linked, environment), ...exportHandlers(linked, environment)]);
    hooks?.start();
    if (doesJobs) sweep?.start();
    uploads?.start();
  });
  const work = jobWork(options);
  const basis = basisOf(options);
  const hooks = webhookWork(options, { ...basis, start });
  const environment = createEnvironment(options, basis, { start, jobs: work?.settings, hooks });
  const linked = linkResources(options.resources);
  const sweep = fileSweep(environment);
  const uploads = uploadWork(options, environment);
  const doesJobs = options.jobs !== false && options.jobs?.work !== false;
  const inFlight = new InFlight(environment.timers);
  const health = (): Health => ({ status: inFlight.closing ? "closing" : "ok" });
  const ready = () => readiness(options.storage, inFlight, start);
  const pipeline: Pipeline = {
    environment,
    router: new Router([
      ...resourceRoutes(linked, environment, options.batch !== false),
      ...importRoutes(linked, environment),
      ...batchRoutes(options, environment, () => pipeline),
      ...jobRoutes(environment),
      ...exportRoutes(linked, environment),
      ...uploadRoutes(uploads, environment),
      ...webhookRoutes(hooks, environment),
      ...probeRoutes(options.probes ?? {}, health, ready),
    ]),
    start,
    vary: varyOf(environment.verifiers),
    anonymousKeys: options.idempotency === false || options.idempotency?.anonymous !== "refuse",
    anonymousAllowed: environment.verifiers.length === 0 || options.anonymous === "allow",
    notFoundProblem: options.notFound === "problem",
  };
  const isClosing = () => inFlight.closing;
  const handle = async (request: HttpRequest): Promise<HttpResponse | undefined> => {
    inFlight.enter();
    let isEnding = true;
    try {
      const response = await answer(pipeline, request, isClosing);
      if (response !== undefined && options.onResponse) tell(options.onResponse, response, request, environment);
      if (!isStream(response?.body)) return response;
      isEnding = false;
      return { ...response, body: endingBody(response.body, () => inFlight.leave()) };
    } finally {
      if (isEnding) inFlight.leave();
    }
  };
  let closed: Promise<void> | undefined;
  return {
    handle,
    start: () => start.run(),
    async emit(event, tx) {
      if (hooks === undefined) throw new ConfigurationError(`The service has no webhooks; give "webhooks" to createService.`);
      if (!hooks.settings.eventTypes.includes(event.type)) {
        throw new ConfigurationError(`"${event.type}" is not among the event types: ${hooks.settings.eventTypes.join(", ")}.`);
      }
      if (event.type.startsWith("webhook.")) throw new ConfigurationError(`Events that begin with "webhook." are the service's own.`);
      if (inFlight.closing) throw new ProblemError("SHUTTING_DOWN", "The service is shutting down.");
      await start.run();
      const emit = () => hooks.emission.emit(event, tx ?? options.storage);
      // Within a transaction of the developer's it is for that to begin again.
      const id = tx === undefined ? await retrying(emit, environment) : await emit();
      if (tx === undefined) hooks.settings.wake();
      return id;
    },
    health,
    ready,
    close({ graceMs = 10_000 } = {}) {
      closed ??= Promise.all([inFlight.drain(graceMs), work?.close(graceMs), hooks?.close(graceMs), sweep?.close(), uploads?.close()]).then(
        async () => {
          await options.storage.close?.();
          await options.blobs?.close?.();
          if (options.idempotency) await options.idempotency.store?.close?.();
        },
      );
      return closed;
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

/** Every header that credentials can stand in takes part in the answer. */
function varyOf(verifiers: readonly Verifier[]): string | undefined {
  const names = new Set(verifiers.flatMap(({ headers = ["Authorization"] }) => headers));
  return names.size === 0 ? undefined : [...names].join(", ");
}
