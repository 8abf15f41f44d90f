import type { Service } from "restwright";

/** The address that a host listens on. With port 0 the system chooses a port. */
export interface Address {
  readonly port: number;
  readonly address: string;
  /** Prefix of every path: `""` or `/v1`. */
  readonly basePath: string;
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Stops accepting connections, waits for `drain`, then closes the remaining connections. */
  close(drain: () => Promise<void>): Promise<void>;
}

/** Binds the service to a framework. */
export type StartHost = (service: Service, at: Address) => Promise<Listening>;
