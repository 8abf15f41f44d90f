import { optionalPackage } from "../../../../../src/ground/options/optionalPackage.js";
import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import { translateError, withoutEffect } from "../errors.js";
import type { SqlRow } from "../executor.js";
import type { PoolOfPg } from "./beside/ownConnection.js";
import { parseTimestamp } from "./timestamp.js";

/** What this library needs from a pool of `pg`. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<PostgresResult>;
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
  /** A pool of `pg` emits it before the connection is the caller's. */
  on?(event: "acquire", listener: (client: PostgresClient) => void): unknown;
}

/** A connection that is checked out of the pool. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>;
  /** `true` closes the connection instead of returning it to the pool. */
  release(destroy?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
}

export interface PostgresQuery {
  /** Of a statement that the server keeps for the connection. */
  name?: string | undefined;
  text: string;
  values?: unknown[];
  /** Without it, `pg` sends a statement without values in the simple protocol. */
  queryMode?: "extended";
  types?: { getTypeParser(oid: number): (text: string) => unknown };
}

export interface PostgresResult {
  readonly rows: SqlRow[];
  readonly rowCount: number | null;
  readonly command: string;
  /** How long the rows were as the server sent them, where that is known. */
  readonly bytes?: number | undefined;
}

const oids = { boolean: 16, json: 114, double: 701, timestamptz: 1184, jsonb: 3802 } as const;

/** Makes a value of its text, in the columns of a type; `undefined` where the text is the value, as 64-bit integers stay text. */
export function conversionOf(oid: number): ((text: string) => unknown) | undefined {
  switch (oid) {
    case oids.boolean:
      return (text) => text === "t";
    case oids.json:
    case oids.jsonb:
      return JSON.parse;
    case oids.double:
      return Number;
    case oids.timestamptz:
      return parseTimestamp;
    default:
      return undefined;
  }
}

/** Parses values independently of the global type parsers of `pg`. */
export const valueTypes: NonNullable<PostgresQuery["types"]> = {
  getTypeParser: (oid) => conversionOf(oid) ?? ((text) => text),
};

export interface PostgresConnection {
  /** Address of the database: `postgres://user:password@host:5432/shop`. */
  readonly connectionString: string;
  /** The most connections. Defaults to 10. */
  readonly poolSize?: number | undefined;
  /** How long to wait for a connection, in milliseconds. Defaults to 5,000. */
  readonly connectTimeoutMs?: number | undefined;
}

export const defaultPoolSize = 10;

/** How many connections a pool opens at most; the default of `pg` if the pool does not tell. */
export function sizeOf(pool: PostgresPool & PoolOfPg): number {
  return pool.options?.max ?? defaultPoolSize;
}

/**
 * Opens a pool of `pg`.
 *
 * @throws {ConfigurationError} if the package `pg` is not installed
 */
export async function openPool({
  connectionString,
  poolSize = defaultPoolSize,
  connectTimeoutMs = 5_000,
}: PostgresConnection): Promise<PostgresPool> {
  const { Pool } = (await loadPg()).default;
  const pool = new Pool({ connectionString, max: poolSize, connectionTimeoutMillis: connectTimeoutMs, keepAlive: true });
  // Without a listener, an idle connection that the server closes would crash this process. The pool itself replaces the connection.
  pool.on("error", () => {});
  return pool;
}

const watched = new WeakSet<object>();

/**
 * A connection that the server closes emits an error, which ends the process if nothing listens. The pool listens while a connection is idle, and a caller when it
 * has it; an error that arrives with the answer to the previous statement comes between the two.
 */
export function survivesBreaks(pool: PostgresPool): PostgresPool {
  if (!watched.has(pool)) {
    watched.add(pool);
    pool.on?.("acquire", (client) => {
      if (watched.has(client)) return;
      watched.add(client);
      client.on("error", () => {});
    });
  }
  return pool;
}

/** A connection of the pool. @throws {Unavailable} if there is none; it says that nothing was written */
export async function connectionOf(pool: PostgresPool): Promise<PostgresClient> {
  try {
    return await pool.connect();
  } catch (error) {
    const translated = translateError(error);
    throw translated instanceof Unavailable ? withoutEffect(translated) : error;
  }
}

const loadPg = /* @__PURE__ */ optionalPackage(() => import("pg"), { name: "pg", version: "8", neededBy: "A connectionString" });
