import { parseArgs } from "node:util";

export const hosts = ["fastify", "express", "hono", "koa"] as const;
export const stores = ["memory", "sqlite", "postgres"] as const;

export type Host = (typeof hosts)[number];
export type Store = (typeof stores)[number];

/** What a server is told on its command line. */
export interface ServerOptions {
  readonly host: Host;
  readonly store: Store;
  /** SQLite: path of the file. PostgreSQL: connection string of an empty database. */
  readonly location: string;
}

/** @throws {Error} for a host or store that there is not */
export function readServerOptions(): ServerOptions {
  const { values } = parseArgs({
    options: {
      host: { type: "string", default: "fastify" },
      store: { type: "string", default: "memory" },
      location: { type: "string", default: "" },
    },
  });
  return { host: oneOf("host", values.host, hosts), store: oneOf("store", values.store, stores), location: values.location };
}

/** @throws {Error} naming what is allowed */
export function oneOf<const T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new Error(`--${option} must be one of ${allowed.join(", ")}; got "${value}".`);
  return found;
}
