import type { PostgresQuery, PostgresResult } from "../postgresPool.js";

/** A message of a channel, as `pg` passes it on. */
export interface Notification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** A connection outside of the pool, as the `Client` of `pg`. */
export interface OwnConnection {
  connect(): Promise<unknown>;
  query(query: PostgresQuery): Promise<PostgresResult>;
  end(): Promise<void>;
  unref?(): void;
  /** The process of the server that serves the connection, as the server said when it was opened. */
  readonly processID?: number | null | undefined;
  on(event: "error" | "end", listener: () => void): unknown;
  on(event: "notification", listener: (message: Notification) => void): unknown;
}

/** Undocumented fields of a pool of `pg`. Without them, leases only end when they expire, and no statement is known to wait for a lock. */
export interface PoolOfPg {
  readonly Client?: (new (options: unknown) => OwnConnection) | undefined;
  readonly options?: { readonly max?: number | undefined } | undefined;
}

/** Whether the server answered with this error, so that the connection is alive. */
export function isAnswer(error: unknown): boolean {
  return error instanceof Error && "severity" in error;
}

/** Ends a connection without waiting for it: the server may not answer any more. */
export function discard(connection: OwnConnection): void {
  connection.end().catch(() => {});
}

/** Keeps the process alive for as long as it waits, which a connection outside of the pool does not. @throws what `late` makes, if the promise takes longer */
export async function within<T>(ms: number, promise: Promise<T>, late: () => Error = () => new Error(`No answer within ${ms} ms.`)): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
