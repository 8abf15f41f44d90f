import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Operation } from "../../engine/operation/operation.js";
import { wakeupsOf } from "../../engine/operation/work/workerWakeups.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { ChangeLog } from "../../ground/storage/changes.js";
import { prefersEvents } from "../../language/negotiation/accept.js";
import { Feed } from "./feed/feed.js";
import { type NoteChange, signalling } from "./feed/signals.js";
import { ownParameters } from "./http/askedLive.js";
import { liveOperation } from "./http/liveOperation.js";
import { Streams } from "./http/streams.js";
import { checkLiveOptions, type LiveOptions } from "./options.js";
import { ticketOperation } from "./tickets/ticketOperation.js";
import { ticketScheme } from "./tickets/ticketScheme.js";
import { type LiveApi, watchApi } from "./watch.js";

/**
 * Live rows: clients follow the lists and rows of collections with `live: true`, as events (`Accept: text/event-stream`) or as pages of changes (`changedAfter`), and code by `service.watch`.
 * Each sees what its list shows, and nothing is missed over a break.
 *
 * @throws {ConfigurationError} for an unknown option or an invalid value; from `createService` for a storage that keeps no changes, and a collection that cannot be followed
 * @see docs/live.md
 * @example
 * const orders = defineResource("orders", { schema, live: true });
 * createService({ resources: [orders], storage, use: [live()] });
 */
export function live(options: LiveOptions = {}): Capability<LiveApi> {
  checkLiveOptions(options);
  const listeners = new Set<NoteChange>();
  return {
    name: "live",
    // Their answers are those of other formats, and of caches.
    after: ["formats", "cache"],
    paths: { live: "tickets for event streams are made there" },
    resourceOptions: ["live"],
    wrap: ({ storage }) => ({
      storage: signalling(storage, (collection) => {
        for (const note of listeners) note(collection);
      }),
    }),
    open: (host) => openLive(options, host, listeners),
  };
}

function openLive({ maxStreams, keep }: LiveOptions, host: Host, listeners: Set<NoteChange>): OpenCapability<LiveApi> {
  const { environment, resources } = host;
  const { storage, timers, logger } = environment;
  const followed = [...resources.values()].filter(({ resource }) => resource.model.keepsChanges === true);
  const log = requireLog(host, followed);
  const kept = { changes: keep?.changes ?? 10_000, ms: keep?.ms ?? 600_000 };
  const wakeups = wakeupsOf(environment);
  const feeds = new Map(
    followed.map(({ name, resource: { model } }) => [
      name,
      new Feed({ model, log, kept, wakeups, timers, logger, rows: () => environment.schemaRows(name) }),
    ]),
  );
  const streams = new Streams({ principal: maxStreams?.principal ?? 10, process: maxStreams?.process ?? 10_000 });
  const note: NoteChange = (collection) => {
    for (const feed of collection === undefined ? feeds.values() : [feeds.get(collection)]) feed?.noteChange();
  };
  const tickets = ticketsOf(host);
  const adapt = (operation: Operation, all: Host["resources"]): Operation => {
    const linked = all.get(operation.access?.collection ?? "");
    const feed = linked && feeds.get(linked.name);
    if (feed === undefined || operation.method !== "GET" || !/\.(?:list|read)$/.test(operation.name)) return operation;
    return liveOperation(operation, { linked: linked as LinkedResource, feed, streams, storage, tickets: tickets?.verifier });
  };
  return {
    routes: tickets?.routes,
    describes: async () => ({ describe: (await import("./describeLive.js")).describeLive }),
    adaptRoute: (route, all) => ({ ...route, operations: route.operations.map((operation) => adapt(operation, all)) }),
    api: watchApi(host, feeds),
    start() {
      listeners.add(note);
    },
    wake() {
      for (const feed of feeds.values()) feed.look();
    },
    async close() {
      listeners.delete(note);
      streams.close();
      for (const feed of feeds.values()) feed.close();
    },
  };
}

/** Tickets, where callers have credentials and their use can be noted. */
function ticketsOf({ environment }: Host) {
  if (environment.verifiers.length === 0 || environment.idempotency === undefined) return undefined;
  const parts = { environment, records: environment.idempotency.store };
  return {
    verifier: ticketScheme(parts, ({ headers }) => prefersEvents(headers.get("accept"))),
    routes: [{ segments: ["live", "tickets"], operations: [ticketOperation(parts)] }],
  };
}

/** @throws {ConfigurationError} */
function requireLog({ environment: { storage } }: Host, followed: readonly LinkedResource[]): ChangeLog {
  for (const { name, resource, table } of followed) {
    if (resource.model.table !== undefined) {
      throw new ConfigurationError(
        `${name}: "live" needs a table of this library; the writes of other programs to an existing table would be missed.`,
      );
    }
    const taken = ownParameters.find((parameter) => table.fields.has(parameter));
    if (taken !== undefined) throw new ConfigurationError(`${name}: "live" has a parameter "${taken}", and the collection a field of that name.`);
  }
  if (storage.changes !== undefined) return storage.changes;
  throw new ConfigurationError(
    `The storage "${storage.name}" keeps no changes, which live() needs: use memoryStorage(), sqliteStorage() or postgresStorage().`,
  );
}
