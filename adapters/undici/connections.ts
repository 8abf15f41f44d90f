import { createHash } from "node:crypto";
import type { Client as UndiciClient } from "undici";
import type { ClientCertificate } from "../../src/capabilities/webhooks/delivery/transport.js";
import type { GuardedConnect } from "./guardedConnect.js";
import { Client } from "./undici.js";

/** A connection to one origin, made when the first request is dispatched on it; it carries one at a time. */
export interface Connection {
  readonly key: string;
  readonly client: UndiciClient;
  /** Ends it in whatever state it is. */
  destroy(): Promise<void>;
}

export interface ConnectionsOptions {
  /** How connections that show this certificate are made; throws where it cannot be read. */
  readonly connector: (certificate: ClientCertificate | undefined) => GuardedConnect;
  readonly keepAliveMs: number;
}

/** The connectors of this many client certificates are kept. */
const maxConnectors = 100;

const headerBytes = 16_384;

/**
 * Connections in use and idle ones. Undici's own pools would do, if an aborted request did not make them connect once more for nothing,
 * and if they could end a connection that is still being made.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all = new Set<Connection>();
  readonly #idle = new Map<string, Connection[]>();
  readonly #connectors = new Map<string, GuardedConnect>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /**
   * An idle connection or a new one. What was made with one client certificate never serves a webhook that has another, or none.
   *
   * @throws where the certificate cannot be read
   */
  take(origin: string, certificate: ClientCertificate | undefined): Connection {
    const identity = certificate === undefined ? "" : fingerprint(certificate);
    const key = `${identity} ${origin}`;
    const idle = this.#idle.get(key)?.at(-1);
    if (idle === undefined) return this.#open(key, origin, this.#connector(identity, certificate));
    this.#removeIdle(idle);
    return idle;
  }

  /** Keeps a connection whose response has ended. */
  giveBack(connection: Connection): void {
    if (!this.#all.has(connection)) return;
    const idle = this.#idle.get(connection.key);
    if (idle === undefined) this.#idle.set(connection.key, [connection]);
    else idle.push(connection);
  }

  async discard(connection: Connection): Promise<void> {
    this.#all.delete(connection);
    this.#removeIdle(connection);
    await connection.destroy();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((connection) => this.discard(connection)));
  }

  #open(key: string, origin: string, connect: GuardedConnect): Connection {
    let cancel = () => {};
    const client = new Client(origin, {
      connect: (options, callback) => {
        cancel = connect(options, callback);
      },
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: this.#options.keepAliveMs,
      // Servers may shorten it, not lengthen it.
      keepAliveMaxTimeout: this.#options.keepAliveMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: headerBytes,
    });
    const destroy = async () => {
      const destroyed = client.destroy();
      cancel();
      await destroyed;
    };
    const connection = { key, client, destroy };
    this.#all.add(connection);
    client.on("disconnect", () => {
      if (this.#idle.get(key)?.includes(connection)) void this.discard(connection);
    });
    return connection;
  }

  #connector(identity: string, certificate: ClientCertificate | undefined): GuardedConnect {
    const connect = this.#connectors.get(identity) ?? this.#options.connector(certificate);
    // Taken out and put back: the map stays in the order of last use.
    this.#connectors.delete(identity);
    this.#connectors.set(identity, connect);
    const [oldest] = this.#connectors.keys();
    if (this.#connectors.size > maxConnectors && oldest !== undefined) this.#connectors.delete(oldest);
    return connect;
  }

  #removeIdle(connection: Connection): void {
    const others = this.#idle.get(connection.key)?.filter((idle) => idle !== connection) ?? [];
    if (others.length > 0) this.#idle.set(connection.key, others);
    else this.#idle.delete(connection.key);
  }
}

function fingerprint({ cert, key }: ClientCertificate): string {
  return createHash("sha256")
    .update(JSON.stringify([cert, key]))
    .digest("base64");
}
