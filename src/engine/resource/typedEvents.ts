import type { ResourceAction } from "./actions.js";
import type { TypedCollection } from "./callTypes/rowTypes.js";
import type { ResourceTypes } from "./resourceTypes.js";

/** A service, as far as the types of its events need it. */
export interface TypedService<R extends readonly TypedCollection[]> {
  /** For the compiler only: always absent. */
  readonly types?: R;
}

/** An event as handlers get it; deeply frozen. */
export interface TypedEvent<Type extends string, Data> {
  /** `evt_` and a ULID; the same in every attempt and for every receiver, so that a handler can detect repetitions. */
  readonly id: string;
  /** Name in dot notation: `order.created`. */
  readonly type: Type;
  /** `undefined` for rows without a tenant. */
  readonly tenant: string | undefined;
  readonly createdAt: Date;
  /** Version of the event's schema, a date. */
  readonly apiVersion: string;
  /** Dates and 64-bit integers are text in it, as in responses. */
  readonly data: Data;
}

/** A subscriber that a process has added. */
export interface Registration {
  /** Resolves when its name is in the storage, so that events are enqueued for it; at once before the start of the service, which registers it. It never rejects. */
  readonly registered: Promise<void>;
}

type TypesIn<R extends readonly TypedCollection[]> = NonNullable<R[number]["types"]>;

/** Types of the events that the collections and actions of a service declare; any if its collections are not known. */
export type EventName<R extends readonly TypedCollection[]> = NamesOf<TypesIn<R>>;

type NamesOf<T extends ResourceTypes> = T extends unknown ? (keyof T["events"] & string) | ActionEvents<T["actions"]> : never;

type ActionEvents<A> = {
  [K in keyof A]: A[K] extends ResourceAction<infer _On, infer _Input, infer _Answer, infer Events> ? Events : never;
}[keyof A];

/** What a subscriber may name: a type, all types that begin alike (`order.*`), or all. */
export type EventPattern<Name extends string> = Name | Beginning<Name> | "*";

type Beginning<Name extends string> = Name extends `${infer Head}.${infer Rest}` ? `${Head}.*` | `${Head}.${Beginning<Rest>}` : never;

type Matching<Name extends string, Pattern extends string> = Pattern extends "*"
  ? Name
  : Pattern extends `${infer Head}.*`
    ? string extends Name
      ? string
      : Extract<Name, `${Head}.${string}`>
    : Pattern;

/** The events of a service that a pattern matches. Their `type` tells them apart. */
export type EventsMatching<R extends readonly TypedCollection[], Name extends string, Pattern extends string> = EventsNamed<
  R,
  Matching<Name, Pattern>
>;

type EventsNamed<R extends readonly TypedCollection[], Name extends string> = Name extends unknown
  ? TypedEvent<Name, DataOf<TypesIn<R>, Name>>
  : never;

type DataOf<T extends ResourceTypes, Name extends string> = Known<
  T extends unknown ? (Name extends keyof T["events"] ? T["events"][Name] : never) : never
>;

type Known<Data> = [Data] extends [never] ? AnyData : unknown extends Data ? AnyData : AsJson<Data>;
type AnyData = Readonly<Record<string, unknown>>;

/** A value after it was written as JSON and read again. */
type AsJson<T> = T extends Date | bigint
  ? string
  : T extends readonly (infer E)[]
    ? readonly AsJson<E>[]
    : T extends object
      ? { readonly [K in keyof T]: AsJson<T[K]> }
      : T;

/**
 * `service.on`, typed by the events that the collections and actions of the service declare.
 *
 * @typeParam Options those of a subscriber
 * @typeParam Call what a handler is told about its attempt
 * @typeParam End why an event was given up
 * @typeParam Custom types of events that `emit` is called with
 */
export interface EventSubscriptions<Options, Call, End, Custom extends string = never> {
  /**
   * Calls a handler with each event of a type, after the commit of the write that causes it, at least once. Events are enqueued for the name from the first start of a
   * service that has it.
   *
   * @param types an event type, a pattern such as `order.*`, several of them, or `*` for all events
   * @returns when the name is registered
   * @throws {ConfigurationError} for a type that does not exist, an unknown option or an invalid value, and a name that this service has already
   * @example
   * service.on("order.created", { name: "send-receipt", attempts: 5 }, async ({ data }, { signal }) => mail.send(receiptOf(data), { signal }));
   */
  on<R extends readonly TypedCollection[], const Pattern extends EventPattern<EventName<R> | Custom>>(
    this: TypedService<R>,
    types: Pattern | readonly Pattern[],
    options: Omit<Options, "onDead"> & {
      /** Called once when the last attempt at an event has failed. What it throws is logged; a process that ends just then does not call it. */
      readonly onDead?: ((event: EventsMatching<R, EventName<R> | Custom, Pattern>, end: End) => unknown) | undefined;
    },
    handler: (event: EventsMatching<R, EventName<R> | Custom, Pattern>, call: Call) => unknown,
  ): Registration;
}
