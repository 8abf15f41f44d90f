import { Connection } from "./connection.js";

/** A stream of requests that all expect the same status. */
export interface Load {
  readonly port: number;
  readonly requests: number;
  readonly status: number;
  /** How many requests are under way at a time; 16 unless told otherwise. */
  readonly connections?: number | undefined;
  /** The text of the next request. */
  next(): string;
}

/**
 * Sends a fixed number of requests over keep-alive connections, each with one request under way.
 *
 * @throws {Error} where an answer has another status
 */
export async function runLoad({ port, requests, status, connections = 16, next }: Load): Promise<void> {
  const pool = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  let left = requests;
  const work = async (connection: Connection) => {
    while (left > 0) {
      left -= 1;
      const received = await connection.send(next());
      if (received.status !== status) throw new Error(`Expected ${status}, got ${received.status}:\n${received.head}\n\n${received.body}`);
    }
  };
  try {
    await Promise.all(pool.map(work));
  } finally {
    for (const connection of pool) connection.close();
  }
}
