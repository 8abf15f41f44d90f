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
 * @returns how long each took from its first byte until its answer was complete, in µs
 * @throws {Error} where an answer has another status
 */
export async function runLoad({ port, requests, status, connections = 16, next }: Load): Promise<number[]> {
  const pool = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const latencies: number[] = [];
  let left = requests;
  const work = async (connection: Connection) => {
    while (left > 0) {
      left -= 1;
      const text = next();
      const sentAt = performance.now();
      const received = await connection.send(text);
      latencies.push((performance.now() - sentAt) * 1_000);
      if (received.status !== status) throw new Error(`Expected ${status}, got ${received.status}:\n${received.head}\n\n${received.body}`);
    }
  };
  try {
    await Promise.all(pool.map(work));
    return latencies;
  } finally {
    for (const connection of pool) connection.close();
  }
}
