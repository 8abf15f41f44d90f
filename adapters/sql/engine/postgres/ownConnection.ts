import type { PostgresQuery, PostgresResult } from "./postgresPool.js";

/** A connection outside of the pool, as the `Client` of `pg`. */
export interface OwnConnection {
  connect(): Promise<unknown>;
  query(query: PostgresQuery): Promise<PostgresResult>;
  end(): Promise<void>;
  unref?(): void;
  /** The process of the server that serves the connection, as the server said when it was opened. */
  readonly processID?: number | null | undefined;
  on(event: "error" | "end", listener: () => void): unknown;
}

/** Undocumented fields of a pool of `pg`. Without them, leases only end when they expire, and no statement is known to wait for a lock. */
export interface PoolOfPg {
  readonly Client?: (new (options: unknown) => OwnConnection) | undefined;
  readonly options?: { readonly max?: number | undefined } | undefined;
}
