import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Handle } from "../../../src/ground/http/message.js";

export interface HostOptions {
  /** Prefix that the service stands under, nested once a segment: `""`, `/v1`, `/api/v1`. */
  readonly mount: string;
  /** Whether a body parser of the host runs before the service. */
  readonly parseBodies?: boolean | undefined;
}

export interface RunningHost {
  readonly port: number;
  close(): Promise<void>;
}

/** A server whose connections can be counted. */
export interface ListeningHost extends RunningHost {
  /** How many connections the server has not closed. */
  connections(): Promise<number>;
}

/**
 * A server that binds the service with one of the adapters.
 *
 * Before the service it sets `Vary: Origin` and `Set-Cookie: host=1`; behind it, where the host has routes of its own, it answers `/own` with
 * `own route` and errors with `X-Host-Error: 1`.
 */
export interface Host {
  readonly name: string;
  /** Routes, headers and an error page of its own; node:http and fetch have none. */
  readonly framework: boolean;
  readonly setsHeaders: boolean;
  readonly parsesBodies: boolean;
  /**
   * Whether the adapter has the Node request: with the header lines as sent, the peer's address, and word of the end of pipelined connections.
   * A WHATWG request has joined header values, and on some hosts a stream where there was no body.
   */
  readonly nodeRequests: boolean;
  /** Closes the connection itself before a large unread body; `@hono/node-server` does its own draining. */
  readonly lingers: boolean;
  start(handle: Handle, options: HostOptions): Promise<RunningHost>;
}

/** `/api/v1` → `["/api", "/v1"]`. */
export function mountSegments(mount: string): readonly string[] {
  return mount
    .split("/")
    .slice(1)
    .map((segment) => `/${segment}`);
}

/** Listens at a free port of the loopback. */
export async function listen(server: Server): Promise<ListeningHost> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connections = () =>
    new Promise<number>((resolve, reject) => server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))));
  return { port: (server.address() as AddressInfo).port, connections, close: () => closeServer(server) };
}

/** Ends every connection, also those that a failed check has left open. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
