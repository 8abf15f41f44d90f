import type { HttpRequest, HttpResponse } from "../../ground/http/message.js";
import type { Row } from "../../ground/storage/collection.js";
import type { Environment } from "../operation/environment.js";
import type { Operation } from "../operation/operation.js";
import type { Inherited } from "../operation/references/inherited.js";
import type { LinkedResource } from "../resource/relations/link.js";
import type { Resource } from "../resource/resource.js";

/** What a service gives to its capabilities. */
export interface Host {
  /** Storage, limits, clock, ids, logger, and what the other capabilities offer. */
  readonly environment: Environment;
  /** The collections by their names, with their relations. */
  readonly resources: ReadonlyMap<string, LinkedResource>;
  /** The collections as a version of the API shows them; those of the schemas for `undefined`. */
  resourcesIn(version: string | undefined): ReadonlyMap<string, LinkedResource>;
  /** Connects collections as the service does. @throws {ConfigurationError} for a relation that leads nowhere */
  link(resources: readonly Resource[]): Host["resources"];
  /** Whether the service is closing: new work is refused with 503 SHUTTING_DOWN. */
  readonly isClosing: boolean;
  /** Whether the developer gave `secrets`; otherwise the storage keeps one. */
  readonly hasOwnSecrets: boolean;
  /** Starts the service if it has not started. */
  started(): Promise<void>;
  /**
   * A row of a collection to be inserted: the values, generated fields, version and time. They are not validated.
   *
   * @throws {ConfigurationError} if there is no such collection
   */
  newRow(collection: string, values: Readonly<Record<string, unknown>>): Row;
  /** Finds the destination of a path; `undefined` if the service does not serve it. Must not be called before `createService` returns. */
  find(method: string, path: string): Destination | undefined;
  /**
   * Runs a request within the process through router, permission, validation, key and operation, like an external request.
   *
   * @throws whatever the operation throws, problems included
   */
  run(request: HttpRequest, requestId: string, inherited: Inherited): Promise<HttpResponse>;
}

/** The destination of a path. */
export interface Destination {
  /** The same object for all paths of one endpoint. */
  readonly endpoint: {
    /** The path below the mount with `{id}` for each variable segment: `/users/{id}`. */
    readonly route: string;
  };
  /** `undefined` if the endpoint does not have the method. */
  readonly operation: Operation | undefined;
}
