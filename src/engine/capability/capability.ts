import type { Handle, HttpRequest, HttpResponse } from "../../ground/http/message.js";
import type { ProblemError } from "../../ground/problem/index.js";
import type { IdempotencyStore } from "../../ground/storage/idempotency.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Descriptions } from "../description/describing.js";
import type { RequestCount } from "../operation/answers/requestCount.js";
import type { AddedDescription } from "../operation/description.js";
import type { Environment } from "../operation/environment.js";
import type { Route } from "../operation/route.js";
import type { RowEvents } from "../operation/write/rowEvents.js";
import type { RowHooks } from "../operation/write/rowHooks.js";
import type { Resource } from "../resource/resource.js";
import type { Host } from "./host.js";

/**
 * An optional part of an API, enabled by listing it in `use`: batches, jobs, webhooks, or your own.
 *
 * `Api` is the type of the members that it adds to the service, such as `{ emit(…) }`.
 *
 * @see docs/capabilities.md
 * @example
 * const clock: Capability = {
 *   name: "clock",
 *   paths: { time: "the time is read there" },
 *   open: ({ environment }) => ({ routes: [timeRoute(environment.clock)] }),
 * };
 * createService({ resources, storage, use: [clock] });
 */
export interface Capability<Api extends object = object> {
  /** Unique name: two capabilities with the same name are an error at start-up. */
  readonly name: string;
  /** Names of capabilities that must be used too; they are opened before this one. */
  readonly requires?: readonly string[] | undefined;
  /** Names of capabilities that are opened before this one if they are used. */
  readonly after?: readonly string[] | undefined;
  /** First segments of its paths, each with a description; no resource can have such a name. Two capabilities share a segment if they describe it in the same words. */
  readonly paths?: Readonly<Record<string, string>> | undefined;
  /** Options of `defineResource` that it supports, such as `events`. An option that no capability supports is an error at start-up. */
  readonly resourceOptions?: readonly string[] | undefined;
  /**
   * Called first by `createService`: replaces parts of the service before anything uses them, such as a storage by one whose calls are observed. The parts are those that
   * capabilities later in `use` have replaced already.
   */
  wrap?(parts: WrappedParts & { readonly resources: readonly Resource[] }): Partial<WrappedParts>;
  /**
   * Called once by `createService`. Must not acquire anything that has to be released; `start` does that.
   *
   * @throws {ConfigurationError} if it cannot work with this service
   */
  open(host: Host): OpenCapability<Api>;
}

/** A capability within a service. */
export interface OpenCapability<Api extends object = object> {
  readonly routes?: readonly Route[] | undefined;
  /** Replaces each route before the router is made, for what its answers have in common. Called for the routes of the service, and again for those of each version. */
  adaptRoute?(route: Route, resources: Host["resources"]): Route;
  /** Routes that depend on the collections: called with those of the service, and again with those of each version of the API that differ. */
  routesFor?(resources: Host["resources"]): readonly Route[];
  /** Adds versions of the API. Only one capability may. */
  readonly versions?: ApiVersions | undefined;
  /** Called with every row that is written, in the transaction of the write. */
  readonly rowEvents?: RowEvents | undefined;
  /** Runs with each write, in its transaction. Another capability may have such hooks too: `environment.hooks` in `open`, which these must run below their own. */
  readonly rowHooks?: RowHooks | undefined;
  /**
   * Wraps the function that answers requests. Called once; the capability that comes first in `use` is the outermost. What it returns must answer as `handle` does, and
   * never rejects.
   */
  wrapHandle?(handle: Handle): Handle;
  /** Admits pages of other origins. Only one capability may. */
  readonly crossOrigin?: CrossOrigin | undefined;
  /**
   * Begins to count a request against rate limits. Only one capability may.
   *
   * @param address the client's address, behind `trustedHops` proxies; `undefined` if the host does not know it
   */
  readonly limitRate?: ((address: string | undefined) => RequestCount) | undefined;
  /**
   * Called by `createService` when all routes are known, those of other capabilities included.
   *
   * @param capabilities all of the service, in their order
   * @throws {ConfigurationError} for an option that names an operation which does not exist
   */
  check?(routes: readonly Route[], capabilities: readonly OpenCapability[]): void;
  /** What it adds to the requests and answers of all operations, for the OpenAPI document. */
  readonly adds?: AddedDescription | undefined;
  /**
   * Loads what the OpenAPI document says of its operations, when a document is first made. For the capabilities of this library: the operations of others have a
   * `description`.
   */
  describes?(): Promise<Descriptions>;
  /** What it offers to other capabilities: `host.environment.offers.get({ name })`. */
  readonly offers?: unknown;
  /** External systems that its requests need, by the name that `ready()` shows. */
  readonly dependencies?: Readonly<Record<string, Dependency>> | undefined;
  /** Members that it adds to the service. */
  readonly api?: Api | undefined;
  /** Called when the storage is ready, before the first request that needs it, which waits for it; again if the start failed and is tried again. */
  start?(): void | Promise<void>;
  /** Looks at once for work that other processes may have enqueued: `service.wake()` was called. Does nothing before `start`. */
  wake?(): void;
  /** Stops what `start` began. Called while running requests still have `graceMs` milliseconds to end. */
  close?(graceMs: number): Promise<void>;
  /** Stores that the service closes after every request has ended, such as a blob store; each is closed once, even if several capabilities share it. */
  readonly closes?: readonly Closable[] | undefined;
}

/** The parts of a service that a capability may replace by others of the same behaviour. */
export interface WrappedParts {
  readonly storage: Storage;
  /** Where operations under an Idempotency-Key are recorded, if not in the storage. */
  readonly idempotency?: false | { readonly store?: IdempotencyStore | undefined } | undefined;
  /** Called with every error that is answered with 5xx. */
  readonly onError?: ((error: unknown, request: HttpRequest) => void) | undefined;
}

/** The versions of an API. */
export interface ApiVersions {
  /** The versions in which rows differ from the schemas. */
  readonly others: readonly VersionParts[];
  /**
   * The version that a request asks for, and what its answer says of it; or the problem for a version that does not exist and for two different ones, which is thrown
   * after authentication.
   */
  choose(request: HttpRequest): ChosenVersion | ProblemError;
}

/** A version of the API within a service. */
export interface VersionParts {
  readonly name: string;
  readonly environment: Environment;
  readonly resources: Host["resources"];
}

/** The version of one request. */
export interface ChosenVersion {
  readonly name: string;
  /** The media types of JSON that its answer may have, the preferred first; absent if the version was not asked for by one. */
  readonly json?: readonly string[] | undefined;
  /** Adds to the headers of the answer. @param base where the service is reached: its `baseUrl`, or the path below which it is mounted */
  addHeaders(response: HttpResponse, base: string): void;
}

/** Which pages of other origins may use the API. Its functions never reject. */
export interface CrossOrigin {
  /**
   * The answer to a request with what a page of another origin needs to read it. Called with every answer, errors too; that to a preflight is the answer to OPTIONS, or the
   * 404 of a path that does not exist.
   */
  answer(request: HttpRequest, response: HttpResponse): HttpResponse | Promise<HttpResponse>;
  /** Whether pages of an origin may send this request, which needs no preflight, such as a form with the cookies of its user. */
  allows(origin: string, request: HttpRequest): Promise<boolean>;
}

/** A store that may have something to close. */
export interface Closable {
  close?(): Promise<void>;
}

/** A system that requests need in addition to the storage. */
export interface Dependency {
  /** Rejects if the system is not available. */
  ping(): Promise<void> | undefined;
  /** Message if it rejects: "the blob store does not answer". */
  readonly fault: string;
}

/** The members that all capabilities of a service add to it. */
export type ApiOf<Use extends readonly Capability[]> = Use extends readonly [Capability<infer Api>, ...infer Rest extends readonly Capability[]]
  ? Api & ApiOf<Rest>
  : object;
