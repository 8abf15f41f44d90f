import type { Timers } from "../http/timers.js";
import { jobOperations } from "../jobs/operations.js";
import type { Clock } from "../operation/clock.js";
import type { Environment } from "../operation/environment.js";
import { isDotNotation } from "../operation/eventType.js";
import type { Ids } from "../operation/ids.js";
import type { Logger } from "../operation/logger.js";
import type { Random } from "../operation/random.js";
import { ConfigurationError } from "../problem/index.js";
import { rememberingBox, secretBoxOf } from "../secrets/secretBox.js";
import { defaultScheduleMs } from "../webhooks/backoff.js";
import { WebhookDispatcher } from "../webhooks/dispatcher.js";
import { Emission, type EventSource } from "../webhooks/emission.js";
import { defaultEventBytes } from "../webhooks/event.js";
import { webhookOperations } from "../webhooks/operations.js";
import { recoverKind } from "../webhooks/recover.js";
import type { WebhookSettings } from "../webhooks/settings.js";
import { tellOfDisabled } from "../webhooks/tellOfDisabled.js";
import { checkWebhookOptions } from "./checkWebhookOptions.js";
import type { ServiceOptions, WebhookOptions } from "./options.js";
import type { Route } from "./router.js";
import type { Start } from "./start.js";
import { version } from "./version.js";

/** Events that the service itself emits. */
const ownEvents = ["webhook.disabled", "webhook.test"];
const defaultApiVersion = "2026-01-01";

/** The part of a service that tells others of events. */
export interface WebhookWork {
  readonly settings: WebhookSettings;
  readonly emission: Emission;
  start(): void;
  close(graceMs: number): Promise<void>;
}

/** Paths of webhooks, and of the jobs that send again what they missed. */
export function webhookRoutes(work: WebhookWork | undefined, { limits, jobs }: Environment): readonly Route[] {
  if (work === undefined) return [];
  return [...webhookOperations(work.settings, limits), ...(jobs === undefined ? [] : jobOperations(recoverKind(jobs)))];
}

interface Surroundings {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly timers: Timers;
  readonly random: Random;
  readonly start: Start;
}

/**
 * @returns `undefined` where there are no webhooks
 * @throws {ConfigurationError} for a storage that cannot keep them, and for types of events that are none
 */
export function webhookWork(options: ServiceOptions, { clock, ids, logger, timers, random, start }: Surroundings): WebhookWork | undefined {
  const { webhooks: given, storage } = options;
  if (given === undefined) {
    warnOfUnheard(options, logger);
    return undefined;
  }
  checkWebhookOptions(given);
  const { webhooks, deliveries } = storage;
  if (webhooks === undefined || deliveries === undefined || storage.transaction === undefined) {
    throw new ConfigurationError(`The storage "${storage.name}" keeps no webhooks.`);
  }
  if (storage.isShared && options.secrets === undefined) {
    throw new ConfigurationError(`Webhooks on "${storage.name}" need "secrets": what they are signed with must not stand beside the key to it.`);
  }
  const { scheduleMs = defaultScheduleMs, disableAfter = {}, work = true, concurrency, perWebhook, pollMs, leaseMs, keepMs } = given;
  const sources = sourcesOf(options);
  const apiVersion = given.apiVersion ?? defaultApiVersion;
  const emission = new Emission({ sources, apiVersion, limitBytes: given.eventBytes ?? defaultEventBytes, clock, ids, logger });
  let box: WebhookSettings["box"] | undefined;
  const settings: WebhookSettings = {
    webhooks,
    deliveries,
    transport: given.transport,
    network: given.transport.network,
    get box() {
      box ??= rememberingBox(secretBoxOf(start.secrets));
      return box;
    },
    eventTypes: eventTypesOf(sources, given),
    collectionsOf: collectionsOf(sources),
    apiVersion,
    minimumSecretCharacters: given.minimumSecretCharacters ?? 8,
    maxPerTenant: given.maxPerTenant ?? 100,
    scheduleMs,
    disableAfter: { consecutive: disableAfter.consecutive ?? 50, minDurationMs: disableAfter.minDurationMs ?? 0 },
    disableOnGone: given.disableOnGone ?? true,
    userAgent: `restwright-webhooks/${version}`,
    isAdmin: given.isAdmin ?? (() => false),
    onDisabled: given.onDisabled,
    wake: () => dispatcher.wake(),
  };
  const retry = { timers, random };
  const dispatcher = new WebhookDispatcher({
    settings,
    clock,
    timers,
    random,
    logger,
    onDisabled: (webhook, reason) => tellOfDisabled({ webhook, reason, settings, emission, logger, storage, retry }),
    concurrency,
    perWebhook,
    pollMs,
    leaseMs,
    keepMs,
  });
  let isClosed = false;
  for (const exception of given.transport.network.exceptions) {
    logger.warn({ exception }, "Webhooks may be sent to an address that is not public.");
  }
  return {
    settings,
    emission,
    start() {
      if (work && !isClosed) dispatcher.start();
    },
    async close(graceMs) {
      isClosed = true;
      await dispatcher.close({ graceMs });
    },
  };
}

function sourcesOf({ resources }: ServiceOptions): ReadonlyMap<string, EventSource> {
  return new Map(resources.filter(({ events }) => events.size > 0).map(({ name, id, events }) => [name, { idName: id.name, events }]));
}

function eventTypesOf(sources: ReadonlyMap<string, EventSource>, { events = [] }: WebhookOptions): readonly string[] {
  const declared = [...[...sources.values()].flatMap((source) => [...source.events.keys()]), ...events];
  for (const type of declared) {
    if (!isDotNotation(type)) throw new ConfigurationError(`"${type}" is no event type in dot notation.`);
    if (type.startsWith("webhook.")) throw new ConfigurationError(`"${type}": events that begin with "webhook." are the service's own.`);
  }
  return [...new Set([...declared, ...ownEvents])];
}

/** Events that nobody will hear of are rather a mistake. */
function warnOfUnheard({ resources }: ServiceOptions, logger: Logger): void {
  for (const { name, events } of resources) {
    if (events.size > 0) logger.warn({ collection: name }, `The events of "${name}" reach nobody: the service has no "webhooks".`);
  }
}

/** Types that a collection's events have, for the rights of who subscribes to them. */
function collectionsOf(sources: ReadonlyMap<string, EventSource>): (matches: (type: string) => boolean) => readonly string[] {
  return (matches) => [...sources].filter(([, { events }]) => [...events.keys()].some(matches)).map(([name]) => name);
}
