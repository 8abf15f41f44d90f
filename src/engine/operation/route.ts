import type { Operation } from "./operation.js";

/** A path and its operations: `["users", null]` is `/users/{id}`. */
export interface Route {
  /** Segments of the path below the mount; `null` is a variable segment. A literal segment takes precedence over a variable one. */
  readonly segments: readonly (string | null)[];
  readonly operations: readonly Operation[];
  /** Headers of an OPTIONS answer, in addition to `Allow`. */
  readonly optionsHeaders?: Readonly<Record<string, string>> | undefined;
  /** Headers of every answer, errors included. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The status of a rate-limited request that has this header (lower case), if the clients that send it give up on 429. */
  readonly limited?: { readonly header: string; readonly status: number } | undefined;
  /** Whether the path may also end with a slash. */
  readonly allowsSlash?: true | undefined;
}
