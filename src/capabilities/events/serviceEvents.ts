import type { Host } from "../../engine/capability/host.js";
import type { Environment } from "../../engine/operation/environment.js";
import { isDotNotation } from "../../engine/operation/eventType.js";
import type { Offer } from "../../engine/operation/offers.js";
import { observerOf } from "../../engine/operation/work/observer.js";
import { retrying } from "../../engine/operation/work/retry.js";
import type { EmittedEvent, EventRow, RowEvents } from "../../engine/operation/write/rowEvents.js";
import { isObject } from "../../ground/http/isObject.js";
import { optionsCheck, passing, strict, text } from "../../ground/options/index.js";
import { ConfigurationError, ProblemError } from "../../ground/problem/index.js";
import type { Storage } from "../../ground/storage/storage.js";
import { rowReader } from "../../language/schema/rowReader.js";
import { defaultEventBytes } from "./event.js";
import { EventOutbox, type EventSource } from "./eventOutbox.js";
import { OwnTransactions } from "./ownTransactions.js";
import type { EventReceiver } from "./receiver.js";
import { Subjects } from "./subjects.js";

/** How events are written. */
export interface EventFormat {
  /** Version of the events' schema, a date. */
  readonly apiVersion?: string | undefined;
  /** The most bytes of an event's body. */
  readonly eventBytes?: number | undefined;
}

/** The events of one service: what causes them, their types, and those who get them. All receivers get the same event, with one id. */
export interface ServiceEvents {
  /** The collections with events. */
  readonly sources: ReadonlyMap<string, EventSource>;
  /** The rows to store with events; `undefined` if no collection has a scope. */
  readonly subjects: Subjects | undefined;
  /** All types so far: those of the collections, and those that were added. More may be added until `createService` returns. */
  readonly types: readonly string[];
  /** Whether anything gets the events. */
  readonly hasReceivers: boolean;
  /** To be returned as `rowEvents` by each capability that adds a receiver. */
  readonly rowEvents: RowEvents;
  /** To be added to the service, by each capability that adds a receiver. */
  readonly emit: EmitEvent;
  /**
   * Adds types of events that the developer emits.
   *
   * @throws {ConfigurationError} for a type that is not in dot notation, or reserved for the service
   */
  addTypes(types: Iterable<string>): void;
  /** Adds types of events that the service itself emits. */
  addOwnTypes(types: Iterable<string>): void;
  addReceiver(receiver: EventReceiver): void;
  /**
   * Says how events are written.
   *
   * @param by the function whose options say so
   * @throws {ConfigurationError} if another capability says something else
   */
  setFormat(format: EventFormat, by: string): void;
  /** Emits an event of the service itself. @param except a webhook that must not receive it */
  emitOwn(event: EmittedEvent, except?: string): Promise<string>;
  /** Called when the capabilities of the service have closed. */
  close(): Promise<void>;
}

/**
 * Emits a custom event to all who subscribe to it. With the storage of a transaction (`sqlStorage(executor, { inTransaction: true })` over your own) the event is
 * delivered if and only if the transaction commits.
 *
 * @throws {ProblemError} EVENT_TOO_LARGE, SHUTTING_DOWN
 * @throws {ConfigurationError} for a type that no option declares
 * @returns the id of the event
 */
export type EmitEvent = (event: EmittedEvent, tx?: Storage) => Promise<string>;

/** A misspelled "of" would send the event to everyone. */
const checkEvent = /* @__PURE__ */ optionsCheck("emit", () =>
  strict<EmittedEvent>({
    type: text(),
    data: passing("a JSON object", () => true),
    tenant: text(),
    of: strict<EventRow>({ collection: text(), row: passing("a row", isObject) }, ["collection", "row"]),
  }),
);

const defaultApiVersion = "2026-01-01";

const shared: Offer<ServiceEvents> = { name: "events" };

/** The events of a service: the same object for all of its capabilities. */
export function serviceEvents(host: Host): ServiceEvents {
  return host.environment.offers.share(shared, () => openEvents(host));
}

function openEvents(host: Host): ServiceEvents {
  const { environment } = host;
  const sources = sourcesOf(host);
  const receivers: EventReceiver[] = [];
  const format = new AgreedFormat();
  const types = new EventTypes();
  for (const { events } of sources.values()) types.add(events.keys());
  const subjects = subjectsOf(environment, sources);
  const own = new OwnTransactions({ receivers, timers: environment.timers });
  const outbox = outboxOf(environment, { sources, receivers, subjects, format });
  const emitNow = async (event: EmittedEvent, except?: string) => {
    // A single receiver stores an event in one atomic step.
    if (receivers.length > 1) return environment.transaction((tx) => outbox.emit(event, tx, except));
    const tell = outbox.observeCommit();
    const id = await retrying(() => outbox.emit(event, environment.storage, except), environment);
    tell();
    return id;
  };
  return {
    sources,
    subjects,
    get types() {
      return types.all;
    },
    get hasReceivers() {
      return receivers.length > 0;
    },
    rowEvents: rowEventsOf(outbox, types),
    async emit(event, tx) {
      types.check(event);
      if (host.isClosing) throw new ProblemError("SHUTTING_DOWN", "The service is shutting down.");
      await host.started();
      if (tx === undefined) return emitNow(event);
      // Developers retry their own transactions themselves.
      const id = await outbox.emit(event, tx);
      if (environment.wakeups !== undefined) own.emitted();
      return id;
    },
    addTypes: (added) => types.add(added),
    addOwnTypes: (added) => types.addOwn(added),
    addReceiver: (receiver) => void receivers.push(receiver),
    setFormat: (given, by) => format.agree(given, by),
    emitOwn: emitNow,
    close: async () => own.close(),
  };
}

/** The rows to store with events; `undefined` if no collection has a scope. */
function subjectsOf(environment: Environment, sources: ServiceEvents["sources"]): Subjects | undefined {
  if (environment.rules === undefined) return undefined;
  return new Subjects(
    environment,
    [...sources].map(([name, { events }]) => [name, events.keys()]),
  );
}

interface OutboxParts extends Pick<ServiceEvents, "sources" | "subjects"> {
  readonly receivers: readonly EventReceiver[];
  readonly format: AgreedFormat;
}

function outboxOf(environment: Environment, { format, ...parts }: OutboxParts): EventOutbox {
  const { clock, ids, logger } = environment;
  return new EventOutbox({
    ...parts,
    ...{ clock, ids, logger },
    get apiVersion() {
      return format.apiVersion;
    },
    get limitBytes() {
      return format.eventBytes;
    },
    trace: () => observerOf(environment)?.trace(),
  });
}

function rowEventsOf(outbox: EventOutbox, types: EventTypes): RowEvents {
  return {
    concerns: (collection) => outbox.concerns(collection),
    join: (tx, collection, writes, call) => outbox.join(tx, collection, writes, call),
    async emit(event, tx) {
      types.check(event);
      return outbox.emit(event, tx);
    },
    addTypes: (added) => types.add(added),
    observeCommit: () => outbox.observeCommit(),
  };
}

/** The types of events: those that the developer emits, and those of the service itself. */
class EventTypes {
  readonly #given = new Set<string>();
  readonly #own = new Set<string>();

  get all(): readonly string[] {
    return [...this.#given, ...this.#own];
  }

  /** @throws {ConfigurationError} for a type that is not in dot notation, or reserved for the service */
  add(types: Iterable<string>): void {
    for (const type of types) this.#given.add(checkedType(type));
  }

  addOwn(types: Iterable<string>): void {
    for (const type of types) this.#own.add(type);
  }

  /** @throws {ConfigurationError} for an event that the developer may not emit */
  check(event: EmittedEvent): void {
    checkEvent(event);
    const { type } = event;
    if (type.startsWith("webhook.")) throw new ConfigurationError(`Events that begin with "webhook." are reserved for the service.`);
    if (!this.#given.has(type)) throw new ConfigurationError(`"${type}" is not among the event types: ${this.all.join(", ")}.`);
  }
}

/** What the capabilities say of the format of events. */
class AgreedFormat {
  #apiVersion: { readonly value: string; readonly by: string } | undefined;
  #eventBytes: { readonly value: number; readonly by: string } | undefined;

  get apiVersion(): string {
    return this.#apiVersion?.value ?? defaultApiVersion;
  }

  get eventBytes(): number {
    return this.#eventBytes?.value ?? defaultEventBytes;
  }

  agree({ apiVersion, eventBytes }: EventFormat, by: string): void {
    this.#apiVersion = agreed("apiVersion", this.#apiVersion, apiVersion, by);
    this.#eventBytes = agreed("eventBytes", this.#eventBytes, eventBytes, by);
  }
}

interface Said<V> {
  readonly value: V;
  readonly by: string;
}

function agreed<V>(name: string, before: Said<V> | undefined, value: V | undefined, by: string): Said<V> | undefined {
  if (value === undefined) return before;
  if (before === undefined || before.value === value) return { value, by };
  throw new ConfigurationError(
    `"${name}" is ${String(before.value)} in ${before.by}() and ${String(value)} in ${by}(); an event has one form for all, so both must say the same.`,
  );
}

function checkedType(type: string): string {
  if (!isDotNotation(type)) throw new ConfigurationError(`"${type}" is not an event type in dot notation.`);
  if (type.startsWith("webhook.")) throw new ConfigurationError(`"${type}": events that begin with "webhook." are reserved for the service.`);
  return type;
}

function sourcesOf({ resources }: Host): ReadonlyMap<string, EventSource> {
  const sources = [...resources.values()].filter(({ resource }) => resource.events.size > 0);
  return new Map(sources.map(({ name, resource }) => [name, { idNames: resource.idNames, read: rowReader(resource), events: resource.events }]));
}
