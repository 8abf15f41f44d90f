import type { TypedCollection, TypesOf } from "../../engine/resource/callTypes/rowTypes.js";
import type { ByName, TargetsOf } from "../../engine/resource/callTypes/selectionTypes.js";
import type { EventName, EventPattern } from "../../engine/resource/typedEvents.js";
import type { ClientOptions } from "../options.js";
import type { Batch } from "./batch.js";
import type { CollectionCalls } from "./calls.js";
import type { ApiErrorOf } from "./errors.js";
import type { WebhookCalls } from "./webhooks.js";

/** A service, as far as a client needs its type. */
export interface ServiceTypes {
  readonly types?: readonly TypedCollection[];
}

type ResourcesOf<S extends ServiceTypes> = NonNullable<S["types"]>;
type Collections<S extends ServiceTypes> = ByName<ResourcesOf<S>>;

/** A file that was uploaded. */
export interface UploadedFile {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  readonly declaredContentType: string | null;
  readonly size: number;
  readonly sha256: string;
  readonly status: "uploading" | "processing" | "ready" | "rejected";
  readonly createdAt: string;
  /** Where its bytes are. */
  readonly url: string;
  readonly signedUrl?: string;
  readonly [member: string]: unknown;
}

/** What every client has. */
interface ClientMethods<S extends ServiceTypes, Custom extends string> {
  /** The calls of a collection, also of one that has the name of a method of the client. */
  collection<const K extends keyof Collections<S>>(name: K): CallsOf<Collections<S>, K>;
  /** Collects operations, which `send` sends in one request. */
  batch(): Batch<Collections<S>>;
  /**
   * Whether what a call threw is a problem that a service answered, whose `code` then has the type of this service. Clients are not told apart.
   *
   * @example
   * catch (error) {
   *   if (!shop.isError(error)) throw error;
   *   if (error.code === "DUPLICATE_EMAIL") show("This address has an account.");
   * }
   */
  isError<E>(error: E): error is E & ApiErrorOf<S>;
  readonly webhooks: WebhookCalls<EventPattern<EventName<ResourcesOf<S>> | Custom>>;
  readonly uploads: { get(id: string): Promise<UploadedFile>; remove(id: string): Promise<void> };
}

type CallsOf<M, K extends keyof M> = M[K] extends TypedCollection ? CollectionCalls<M[K], TargetsOf<M[K], M>> : never;

/**
 * A client of a service.
 *
 * @typeParam Custom types of events that the service emits by itself
 */
export type Client<S extends ServiceTypes, Custom extends string = never> = ClientMethods<S, Custom> & {
  readonly [K in Exclude<keyof Collections<S>, "collection" | "batch" | "isError" | "webhooks" | "uploads">]: CallsOf<Collections<S>, K>;
};

/** The actions of a service that are read by GET, by the names of their collections. */
type Reads<M> = { readonly [K in WithReads<M>]: M[K] extends TypedCollection ? readonly [ReadsOf<M[K]>, ...ReadsOf<M[K]>[]] : never };
type WithReads<M> = { [K in keyof M]: M[K] extends TypedCollection ? ([ReadsOf<M[K]>] extends [never] ? never : K) : never }[keyof M];
type ReadsOf<R extends TypedCollection> = ReadsIn<TypesOf<R>["actions"]>;
type ReadsIn<A> = { [K in keyof A]: A[K] extends { readonly types?: { readonly method: "GET" } } ? K & string : never }[keyof A];

/** Options of `createClient`. `reads` is demanded where the service has an action that is read by GET. */
export type OptionsOf<S extends ServiceTypes> = Omit<ClientOptions, "reads"> &
  ([WithReads<Collections<S>>] extends [never] ? { readonly reads?: undefined } : { readonly reads: Reads<Collections<S>> });
