import type { IdempotentOptions } from "../../../../adapters/hosts/idempotency/options.js";
import { memoryIdempotency } from "../../../../adapters/memory.js";
import type { Found } from "../../../../src/parts/auth/verifier.js";
import type { Received, Sent } from "../../../adapters/hosts/client.js";
import { send } from "../../../adapters/hosts/client.js";
import type { ListeningHost } from "../../../adapters/hosts/host.js";

/** What a handler behind the guard finds. */
export interface Seen {
  readonly path: string;
  /** As the host's parser made it. */
  readonly body: unknown;
  readonly operationId: string | undefined;
}

/** What a handler answers, by the means of its host. */
export interface Made {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** A value is sent as JSON, nothing as nothing. */
  readonly body?: unknown;
  /** In pieces, as the host's handlers write streams. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

export type Act = (seen: Seen) => Made | Promise<Made>;

export interface Guarded {
  readonly options: Omit<IdempotentOptions<never>, "principal">;
  readonly caller: (user: string | undefined) => Found;
  readonly act: Act;
  readonly parseFirst: boolean;
}

/**
 * A server of a framework with one guarded route for all paths, and handlers behind it.
 *
 * In front of the guard it sets `Vary: Origin`, a cookie `host=1` and an `X-Outer` that is new for each request. Its error page is `host error` with
 * `X-Host-Error: 1` and the status of the error.
 */
export interface IdempotentHost {
  readonly name: string;
  /** Whether a parser may stand behind the guard; Fastify parses before all handlers. */
  readonly parsesBehind: boolean;
  start(guarded: Guarded): Promise<ListeningHost>;
}

export const key = "0123456789abcdef";

/** Sends a POST with the key, JSON and a user, but for what is said otherwise. */
export type Post = (sent?: Sent & { readonly path?: string; readonly key?: string; readonly json?: unknown }) => Promise<Received>;

/** Runs a check against a server of its own. */
export async function withHost(
  host: IdempotentHost,
  act: Act,
  run: (post: Post, port: number, connections: ListeningHost["connections"]) => Promise<void>,
  { parseFirst = true, ...options }: Partial<Guarded["options"]> & { readonly parseFirst?: boolean } = {},
): Promise<void> {
  const running = await host.start({
    options: { store: memoryIdempotency(), ...options },
    caller: (user) => (user === undefined ? undefined : { id: user }),
    act,
    parseFirst,
  });
  const post: Post = ({ path = "/charges", key: own = key, json = { amount: 5 }, headers, ...sent } = {}) =>
    send(running.port, path, {
      method: "POST",
      body: JSON.stringify(json),
      ...sent,
      headers: { "Content-Type": "application/json", "X-User": "ada", "Idempotency-Key": own, ...headers },
    });
  try {
    await run(post, running.port, running.connections);
  } finally {
    await running.close();
  }
}
