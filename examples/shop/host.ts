import type { Service } from "restwright";

/** Where a host listens. Port 0 lets the system choose. */
export interface Address {
  readonly port: number;
  readonly address: string;
  /** Prefix of every path: `""` or `/v1`. */
  readonly basePath: string;
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Takes no new connections, drains, then closes those that are left. */
  close(drain: () => Promise<void>): Promise<void>;
}

/** Binds the service to a framework. */
export type StartHost = (service: Service, at: Address) => Promise<Listening>;
