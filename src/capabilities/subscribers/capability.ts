import { randomUUID } from "node:crypto";
import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import { observerOf } from "../../engine/operation/work/observer.js";
import { wakeupsOf } from "../../engine/operation/work/workerWakeups.js";
import { flag, optionsCheck, strict, text, texts, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { SubscriberStore } from "../../ground/storage/queue/subscribers.js";
import type { Storage } from "../../ground/storage/storage.js";
import { defaultScheduleMs } from "../events/backoff.js";
import { serviceEvents } from "../events/serviceEvents.js";
import type { EventHandler, SubscriberApi } from "./api.js";
import { SubscriberDispatcher } from "./dispatcher.js";
import { EphemeralNames } from "./ephemeralNames.js";
import { SubscriberFanOut } from "./fanOut.js";
import { subscriberLog } from "./log.js";
import type { SubscriberOptions, SubscribersOptions } from "./options.js";
import { RecentNames } from "./recentNames.js";
import { Registrations } from "./registrations.js";
import { schedule, subscriberOf } from "./subscriber.js";

const checkOptions = /* @__PURE__ */ optionsCheck("subscribers", () =>
  strict<SubscribersOptions>({
    events: texts(),
    apiVersion: text("a date"),
    eventBytes: whole(1_024),
    scheduleMs: schedule(),
    work: flag(),
    pollMs: whole(1),
    leaseMs: whole(1),
    keepMs: whole(1),
  }),
);

const defaultKeepMs = 14 * 24 * 3_600_000;

/**
 * Adds subscribers: handlers of your own for the events of collections and actions, called after the commit, at least once, with retries, a log and replay.
 *
 * @throws {ConfigurationError} for an unknown option or an invalid value, and from `createService` for a storage without subscribers or transactions
 * @see docs/subscribers.md
 * @example
 * const service = createService({ resources, storage, use: [subscribers()] });
 * service.on("order.created", { name: "send-receipt" }, async (event, { signal }) => mail.send(receiptOf(event.data), { signal }));
 * await service.start();
 */
export function subscribers<const Custom extends string = never>(options: SubscribersOptions<Custom> = {}): Capability<SubscriberApi<Custom>> {
  checkOptions(options);
  return {
    name: "subscribers",
    resourceOptions: ["events"],
    open: (host) => openSubscribers(options, host),
  };
}

function openSubscribers(options: SubscribersOptions, host: Host): OpenCapability<SubscriberApi> {
  const { environment } = host;
  const { clock, timers, random, logger, ids } = environment;
  const { work = true, pollMs, keepMs = defaultKeepMs, apiVersion, eventBytes } = options;
  const store = storeOf(environment.storage);
  const events = serviceEvents(host);
  events.setFormat({ apiVersion, eventBytes }, "subscribers");
  events.addTypes(options.events ?? []);
  const registrations = new Registrations({ store, timers, random, logger });
  const ephemeral = new EphemeralNames({ store, timers, random, logger, retire: () => registrations.retire() });
  const processId = randomUUID().slice(0, 13);
  const dispatcher = new SubscriberDispatcher({
    ...{ store, clock, timers, random, logger, pollMs, keepMs, wakeups: wakeupsOf(environment) },
    observer: () => observerOf(environment),
    isClosing: () => host.isClosing,
  });
  const fanOut = new SubscriberFanOut(ids);
  const recent = new RecentNames(clock);
  events.addReceiver({
    enqueue: (tx, queued, origin) => fanOut.enqueue(tx, queued, origin, (enqueued) => recent.add(enqueued)),
    wake: () => dispatcher.wake(recent.all()),
  });
  const names = new Set<string>();
  const on = (types: string | readonly string[], given: SubscriberOptions, handler: EventHandler) => {
    const { scheduleMs = defaultScheduleMs, leaseMs } = options;
    const subscriber = subscriberOf(types, given, handler, { scheduleMs, leaseMs, types: events.types, processId });
    if (subscriber.isOfProcess && store.registerEphemeral === undefined)
      throw new ConfigurationError(
        `on: the storage "${environment.storage.name}" keeps no subscribers of single processes, which each: "process" of "${given.name}" needs.`,
      );
    if (names.has(given.name)) throw new ConfigurationError(`on: the service has a subscriber "${given.name}" already; names are unique.`);
    names.add(given.name);
    dispatcher.add(subscriber);
    if (!subscriber.isOfProcess) return { registered: registrations.add(subscriber) };
    // A process that handles nothing hears nothing.
    return { registered: work ? ephemeral.add(subscriber) : Promise.resolve() };
  };
  let isClosed = false;
  return {
    rowEvents: events.rowEvents,
    api: {
      emit: events.emit,
      // The types of events are for the compiler.
      on: on as never,
      subscribers: subscriberLog(store, host, () => dispatcher.wakeAll()),
    },
    async start() {
      if (isClosed) return;
      await Promise.all([registrations.start(), ephemeral.start()]);
      if (work) dispatcher.start();
    },
    wake: () => dispatcher.look(),
    async close(graceMs) {
      isClosed = true;
      await Promise.all([registrations.close(), dispatcher.close(graceMs)]);
      await ephemeral.close();
    },
  };
}

/** @throws {ConfigurationError} for a storage without subscribers or transactions */
function storeOf({ subscribers: store, transaction, name }: Storage): SubscriberStore {
  if (store !== undefined && transaction !== undefined) return store;
  const lacks = store === undefined ? "keeps no subscribers" : "has no transactions";
  throw new ConfigurationError(
    `The storage "${name}" ${lacks}, which subscribers() needs: use memoryStorage(), sqliteStorage() or postgresStorage().`,
  );
}
