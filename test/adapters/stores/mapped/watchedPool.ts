import pg from "pg";

/** A pool that remembers the errors of the server. */
export interface WatchedPool {
  readonly pool: pg.Pool;
  /** The statements that read and failed, with the SQLSTATE of each. */
  readErrors(): readonly string[];
}

export function watchedPool(connectionString: string): WatchedPool {
  const pool = new pg.Pool({ connectionString, max: 4 });
  const errors: string[] = [];
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      const answer = query(...args);
      const text = typeof args[0] === "string" ? args[0] : (args[0] as { readonly text: string }).text;
      if (answer instanceof Promise) answer.catch(({ code }: { readonly code?: string }) => errors.push(`${String(code)} ${text}`));
      return answer;
    }) as typeof client.query;
  });
  return { pool, readErrors: () => errors.filter((error) => /^\S+\s+(?:select|with|declare)/.test(error)) };
}
