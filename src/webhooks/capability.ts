import type { Capability, OpenCapability } from "../capability/capability.js";
import type { Host } from "../capability/host.js";
import { isObject } from "../http/isObject.js";
import { jobOperations } from "../jobs/operations.js";
import { jobsOf } from "../jobs/settings.js";
import type { Environment } from "../operation/environment.js";
import { isDotNotation } from "../operation/eventType.js";
import type { EmittedEvent, EventRow, RowEvents } from "../operation/rowEvents.js";
import { version } from "../operation/version.js";
import { observerOf } from "../operation/work/observer.js";
import { retrying } from "../operation/work/retry.js";
import { callable, either, flag, having, listOf, optionsCheck, passing, strict, text, texts, whole } from "../options/index.js";
import { ConfigurationError, ProblemError } from "../problem/index.js";
import { rememberingBox, secretBoxOf } from "../secrets/secretBox.js";
import type { Storage } from "../storage/storage.js";
import { announceDisabled } from "./delivery/announceDisabled.js";
import { defaultScheduleMs } from "./delivery/backoff.js";
import { WebhookDispatcher } from "./delivery/dispatcher.js";
import { OwnerScopes } from "./delivery/ownerScopes.js";
import { recoverHandler, recoverKind } from "./delivery/recover.js";
import { defaultEventBytes } from "./events/event.js";
import { EventOutbox, type EventSource } from "./events/eventOutbox.js";
import type { EventVersions } from "./events/eventVersions.js";
import { Subjects } from "./events/subjects.js";
import { webhookOperations } from "./operations.js";
import type { WebhookOptions } from "./options.js";
import type { DisableRule, WebhookSettings } from "./settings.js";

const checkWebhookOptions = /* @__PURE__ */ optionsCheck("webhooks", () =>
  strict<WebhookOptions>(
    {
      transport: having("a Transport, such as undiciTransport()", "send"),
      events: texts(),
      apiVersion: either("a date, or versions made by eventVersions", text(), having("", "bodyFor")),
      eventBytes: whole(1_024),
      scheduleMs: listOf(whole(0), "an array of milliseconds with an entry for each attempt", 1),
      disableAfter: strict<DisableRule>({ consecutive: whole(1), minDurationMs: whole(0) }),
      disableOnGone: flag(),
      onDisabled: callable(),
      isAdmin: callable(),
      maxPerTenant: whole(1),
      minSecretCharacters: whole(8, 256),
      work: flag(),
      concurrency: whole(1),
      waiting: whole(1),
      perWebhook: whole(1),
      pollMs: whole(1),
      leaseMs: whole(1),
      keepMs: whole(1),
    },
    ["transport"],
  ),
);

/** A misspelled "of" would send the event to everyone. */
const checkEvent = /* @__PURE__ */ optionsCheck("emit", () =>
  strict<EmittedEvent>({
    type: text(),
    data: passing("a JSON object", () => true),
    tenant: text(),
    of: strict<EventRow>({ collection: text(), row: passing("a row", isObject) }, ["collection", "row"]),
  }),
);

/** Events that the service itself emits. */
const ownEvents = ["webhook.disabled", "webhook.test"];
const defaultApiVersion = "2026-01-01";

/** The API that `webhooks()` adds to a service. */
export interface WebhookApi {
  /**
   * Emits a custom event to the webhooks that subscribe to it. With the storage of a transaction (`sqlStorage(executor, { inTransaction: true })` over your
   * own) the event is delivered if and only if the transaction commits.
   *
   * @throws {ProblemError} EVENT_TOO_LARGE, SHUTTING_DOWN
   * @throws {ConfigurationError} for a type that is not in `events` of `webhooks()`
   * @returns the id of the event
   */
  emit(event: EmittedEvent, tx?: Storage): Promise<string>;
}

/**
 * Adds webhooks: registrations at `/webhooks`, and a signed delivery of each event of a collection, with retries, a log and replay. With `jobs()` also
 * `POST /webhooks/{id}/recover`.
 *
 * @throws {ConfigurationError} for an unknown option or an invalid value, and from `createService` for a storage without webhooks
 * @example
 * const service = createService({ resources, storage, use: [webhooks({ transport: undiciTransport(), events: ["report.ready"] })] });
 * await service.emit({ type: "report.ready", data: { reportId: 7 } });
 */
export function webhooks(options: WebhookOptions): Capability<WebhookApi> {
  checkWebhookOptions(options);
  return {
    name: "webhooks",
    after: ["jobs"],
    paths: { webhooks: "webhooks are registered there", jobs: "jobs are there" },
    resourceOptions: ["events"],
    open: (host) => openWebhooks(options, host),
  };
}

function openWebhooks(options: WebhookOptions, host: Host): OpenCapability<WebhookApi> {
  const { environment } = host;
  const { clock, ids, logger, timers, random, storage, limits } = environment;
  const sources = sourcesOf(host);
  const versions = versionsOf(options);
  const [apiVersion] = versions.all;
  const trace = () => observerOf(environment)?.trace();
  const subjects =
    environment.rules &&
    new Subjects(
      environment,
      [...sources].map(([name, { events }]) => [name, events.keys()]),
    );
  const outbox = new EventOutbox({ sources, apiVersion, limitBytes: options.eventBytes ?? defaultEventBytes, clock, ids, logger, subjects, trace });
  const settings = settingsOf(options, { host, sources, versions, subjects, wake: () => dispatcher.wake() });
  const { work = true, concurrency, waiting, perWebhook, pollMs, leaseMs, keepMs } = options;
  const dispatcher = new WebhookDispatcher({
    settings,
    clock,
    timers,
    random,
    logger,
    onDisabled: (webhook, reason) => announceDisabled({ webhook, reason, settings, outbox, logger, storage, retry: { timers, random } }),
    concurrency,
    waiting,
    perWebhook,
    pollMs,
    leaseMs,
    keepMs,
  });
  for (const exception of options.transport.network.exceptions) {
    logger.warn({ exception }, "Webhooks may be sent to an address that is not public.");
  }
  const jobs = jobsOf(environment);
  jobs?.handle(recoverHandler(settings, environment));
  let isClosed = false;
  return {
    routes: [...webhookOperations(settings, limits), ...(jobs === undefined ? [] : jobOperations(recoverKind(jobs)))],
    rowEvents: rowEventsOf(outbox, settings),
    api: { emit: emitterOf(outbox, settings, host) },
    start() {
      if (work && !isClosed) dispatcher.start();
    },
    async close(graceMs) {
      isClosed = true;
      await dispatcher.close({ graceMs });
    },
  };
}

function versionsOf({ apiVersion = defaultApiVersion }: WebhookOptions): EventVersions {
  return typeof apiVersion === "string" ? { all: [apiVersion], types: [], bodyFor: ({ body }) => body } : apiVersion;
}

interface SettingsParts {
  readonly host: Host;
  readonly sources: ReadonlyMap<string, EventSource>;
  readonly versions: EventVersions;
  readonly subjects: Subjects | undefined;
  wake(): void;
}

function settingsOf(options: WebhookOptions, { host, sources, versions, subjects, wake }: SettingsParts): WebhookSettings {
  const { environment } = host;
  const { disableAfter = {}, transport } = options;
  const eventTypes = eventTypesOf(sources, options);
  const unknown = versions.types.find((type) => !eventTypes.includes(type));
  if (unknown !== undefined) throw new ConfigurationError(`eventVersions: "${unknown}" is not among the event types: ${eventTypes.join(", ")}.`);
  let box: WebhookSettings["box"] | undefined;
  return {
    ...storesOf(environment, host.hasOwnSecrets),
    transport,
    network: transport.network,
    get box() {
      box ??= rememberingBox(secretBoxOf(environment.secrets));
      return box;
    },
    eventTypes,
    versions,
    collectionsOf: collectionsOf(sources),
    fieldsOf: (collection) => host.resources.get(collection)?.fields ?? new Map(),
    scopes: subjects && { subjects, owners: new OwnerScopes(environment, subjects) },
    apiVersion: versions.all[0],
    minSecretCharacters: options.minSecretCharacters ?? 8,
    maxPerTenant: options.maxPerTenant ?? 100,
    scheduleMs: options.scheduleMs ?? defaultScheduleMs,
    disableAfter: { consecutive: disableAfter.consecutive ?? 50, minDurationMs: disableAfter.minDurationMs ?? 0 },
    disableOnGone: options.disableOnGone ?? true,
    userAgent: `restwright-webhooks/${version}`,
    isAdmin: options.isAdmin ?? (() => false),
    onDisabled: options.onDisabled,
    get observer() {
      return observerOf(environment);
    },
    wake,
  };
}

/** @throws {ConfigurationError} for a storage without webhooks */
function storesOf({ storage }: Environment, hasOwnSecrets: boolean): Pick<WebhookSettings, "webhooks" | "deliveries"> {
  const { webhooks, deliveries } = storage;
  if (webhooks === undefined || deliveries === undefined || storage.transaction === undefined) {
    throw new ConfigurationError(`The storage "${storage.name}" keeps no webhooks.`);
  }
  if (storage.isShared && !hasOwnSecrets) {
    throw new ConfigurationError(
      `Webhooks on "${storage.name}" need the option "secrets": signing secrets must not be stored beside the key that encrypts them.`,
    );
  }
  return { webhooks, deliveries };
}

/** After a commit that enqueued deliveries, the dispatcher does not wait for its next poll. */
function rowEventsOf(outbox: EventOutbox, { wake }: WebhookSettings): RowEvents {
  return {
    concerns: (collection) => outbox.concerns(collection),
    join: (tx, collection, writes, call) => outbox.join(tx, collection, writes, call),
    observeCommit() {
      const before = outbox.enqueued;
      return () => {
        if (outbox.enqueued !== before) wake();
      };
    },
  };
}

function emitterOf(outbox: EventOutbox, { eventTypes, wake }: WebhookSettings, host: Host): WebhookApi["emit"] {
  const { environment } = host;
  return async (event, tx) => {
    checkEvent(event);
    if (!eventTypes.includes(event.type)) {
      throw new ConfigurationError(`"${event.type}" is not among the event types: ${eventTypes.join(", ")}.`);
    }
    if (event.type.startsWith("webhook.")) throw new ConfigurationError(`Events that begin with "webhook." are reserved for the service.`);
    if (host.isClosing) throw new ProblemError("SHUTTING_DOWN", "The service is shutting down.");
    await host.started();
    // Developers retry their own transactions themselves.
    if (tx !== undefined) return outbox.emit(event, tx);
    const id = await retrying(() => outbox.emit(event, environment.storage), environment);
    wake();
    return id;
  };
}

function sourcesOf({ resources }: Host): ReadonlyMap<string, EventSource> {
  const sources = [...resources.values()].filter(({ resource }) => resource.events.size > 0);
  return new Map(sources.map(({ name, resource }) => [name, { idName: resource.id.name, events: resource.events }]));
}

function eventTypesOf(sources: ReadonlyMap<string, EventSource>, { events = [] }: WebhookOptions): readonly string[] {
  const declared = [...[...sources.values()].flatMap((source) => [...source.events.keys()]), ...events];
  for (const type of declared) {
    if (!isDotNotation(type)) throw new ConfigurationError(`"${type}" is not an event type in dot notation.`);
    if (type.startsWith("webhook.")) throw new ConfigurationError(`"${type}": events that begin with "webhook." are reserved for the service.`);
  }
  return [...new Set([...declared, ...ownEvents])];
}

/** The event types of each collection, for checking the permissions of subscribers. */
function collectionsOf(sources: ReadonlyMap<string, EventSource>): (matches: (type: string) => boolean) => readonly string[] {
  return (matches) => [...sources].filter(([, { events }]) => [...events.keys()].some(matches)).map(([name]) => name);
}
