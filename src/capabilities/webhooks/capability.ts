import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Environment } from "../../engine/operation/environment.js";
import { version } from "../../engine/operation/version.js";
import { observerOf } from "../../engine/operation/work/observer.js";
import { wakeupsOf } from "../../engine/operation/work/workerWakeups.js";
import { callable, either, flag, having, listOf, optionsCheck, passing, strict, text, texts, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { rememberingBox, secretBoxOf } from "../../ground/secrets/secretBox.js";
import { defaultScheduleMs } from "../events/backoff.js";
import { type EmitEvent, type ServiceEvents, serviceEvents } from "../events/serviceEvents.js";
import { jobsOf } from "../jobs/settings.js";
import { announceDisabled } from "./delivery/announceDisabled.js";
import { WebhookDispatcher } from "./delivery/dispatcher.js";
import { OwnerScopes } from "./delivery/ownerScopes.js";
import { recoverHandler, recoverJobs, shownRecovery } from "./delivery/recover.js";
import type { EventVersions } from "./events/eventVersions.js";
import { fanOut } from "./events/fanOut.js";
import { KnownWebhooks } from "./events/knownWebhooks.js";
import { webhookOperations } from "./operations.js";
import type { WebhookOptions } from "./options.js";
import { testEventType } from "./registration/testWebhook.js";
import type { DisableRule, WebhookSettings } from "./settings.js";

const checkWebhookOptions = /* @__PURE__ */ optionsCheck("webhooks", () =>
  strict<WebhookOptions>(
    {
      transport: passing("a Transport, such as undiciTransport(), with network, maxAttemptMs, send, close", (value) =>
        ["network", "maxAttemptMs", "send", "close"].every((member) => Object(value)[member] !== undefined),
      ),
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

const defaultApiVersion = "2026-01-01";

/** The API that `webhooks()` adds to a service. */
export interface WebhookApi {
  readonly emit: EmitEvent;
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
    after: ["jobs", "actions"],
    paths: { webhooks: "webhooks are registered there", jobs: "jobs are there" },
    resourceOptions: ["events"],
    open: (host) => openWebhooks(options, host),
  };
}

function openWebhooks(options: WebhookOptions, host: Host): OpenCapability<WebhookApi> {
  const { environment } = host;
  const { ids, logger, limits } = environment;
  const versions = versionsOf(options);
  const events = serviceEvents(host);
  events.setFormat({ apiVersion: versions.all[0], eventBytes: options.eventBytes }, "webhooks");
  events.addTypes(options.events ?? []);
  events.addOwnTypes(["webhook.disabled"]);
  const wake = () => dispatcher.wakeAll();
  const settings = settingsOf(options, { host, events, versions, wake });
  const known = new KnownWebhooks();
  events.addReceiver({ enqueue: (tx, queued, origin) => fanOut(tx, queued, origin, { known, ids, storage: environment.storage }), wake });
  const { work = true } = options;
  const dispatcher = dispatcherOf(options, settings, events, environment);
  for (const exception of options.transport.network.exceptions) {
    logger.warn({ exception }, "Webhooks may be sent to an address that is not public.");
  }
  const jobs = jobsOf(environment);
  jobs?.handle(recoverHandler(settings, environment));
  jobs?.show(recoverJobs.type, shownRecovery);
  let isClosed = false;
  return {
    routes: webhookOperations(settings, limits),
    rowEvents: events.rowEvents,
    api: { emit: events.emit },
    describes: async () => (await import("./description/describeWebhooks.js")).describeWebhooks,
    check() {
      const unknown = versions.types.find((type) => !settings.eventTypes.includes(type));
      if (unknown === undefined) return;
      throw new ConfigurationError(`eventVersions: "${unknown}" is not among the event types: ${settings.eventTypes.join(", ")}.`);
    },
    async start() {
      await options.transport.start?.();
      if (work && !isClosed) dispatcher.start();
    },
    wake: () => dispatcher.look(),
    async close(graceMs) {
      isClosed = true;
      await dispatcher.close({ graceMs });
    },
  };
}

function dispatcherOf(options: WebhookOptions, settings: WebhookSettings, events: ServiceEvents, environment: Environment): WebhookDispatcher {
  const { clock, timers, random, logger } = environment;
  const { concurrency, waiting, perWebhook, pollMs, leaseMs, keepMs } = options;
  return new WebhookDispatcher({
    settings,
    clock,
    timers,
    random,
    logger,
    wakeups: wakeupsOf(environment),
    onDisabled: (webhook, reason) => announceDisabled({ webhook, reason, settings, events, logger, retry: { timers, random } }),
    concurrency,
    waiting,
    perWebhook,
    pollMs,
    leaseMs,
    keepMs,
  });
}

function versionsOf({ apiVersion = defaultApiVersion }: WebhookOptions): EventVersions {
  return typeof apiVersion === "string" ? { all: [apiVersion], types: [], bodyFor: ({ body }) => body } : apiVersion;
}

interface SettingsParts {
  readonly host: Host;
  readonly events: ServiceEvents;
  readonly versions: EventVersions;
  wake(): void;
}

function settingsOf(options: WebhookOptions, { host, events, versions, wake }: SettingsParts): WebhookSettings {
  const { environment } = host;
  const { disableAfter = {}, transport } = options;
  const { sources, subjects } = events;
  let box: WebhookSettings["box"] | undefined;
  return {
    ...storesOf(environment, host.hasOwnSecrets),
    transport,
    network: transport.network,
    get box() {
      box ??= rememberingBox(secretBoxOf(environment.secrets));
      return box;
    },
    get eventTypes() {
      return [...events.types, testEventType];
    },
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

/** The event types of each collection, for checking the permissions of subscribers. */
function collectionsOf(sources: ServiceEvents["sources"]): (matches: (type: string) => boolean) => readonly string[] {
  return (matches) => [...sources].filter(([, { events }]) => [...events.keys()].some(matches)).map(([name]) => name);
}
