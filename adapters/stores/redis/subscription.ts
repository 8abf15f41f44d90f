/** What listens of a client of `ioredis`. */
export interface IoredisSubscriber {
  psubscribe(...patterns: string[]): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (...values: unknown[]) => void): unknown;
  off(event: string, listener: (...values: unknown[]) => void): unknown;
}

/** What listens of a client of `redis`. */
export interface NodeRedisSubscriber {
  pSubscribe(patterns: string, listener: (message: string, channel: string) => unknown): Promise<unknown>;
  subscribe(channel: string, listener: (message: string, channel: string) => unknown): Promise<unknown>;
  unsubscribe(channel: string, listener: (message: string, channel: string) => unknown): Promise<unknown>;
  on(event: string, listener: (...values: unknown[]) => void): unknown;
  off(event: string, listener: (...values: unknown[]) => void): unknown;
}

/** A connected client of its own that the caller owns: of `ioredis`, or of `redis` 5 and later. */
export type RedisSubscriber = IoredisSubscriber | NodeRedisSubscriber;

/** A listener of one channel, on every client in the same way. */
interface Subscription {
  /** Subscribes; once more does no harm. */
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

/** How many listen to each channel of a client of `ioredis`, which has no listeners by channel. */
const listeners = new WeakMap<IoredisSubscriber, Map<string, number>>();

/** Tells the two libraries apart by the spelling of their method. */
export function subscriptionOf(client: RedisSubscriber, channel: string, run: (message: string) => void): Subscription {
  if ("pSubscribe" in client) {
    const listener = (message: string) => run(message);
    return { begin: () => client.subscribe(channel, listener), end: () => client.unsubscribe(channel, listener) };
  }
  const counts = listeners.get(client) ?? new Map<string, number>();
  listeners.set(client, counts);
  counts.set(channel, (counts.get(channel) ?? 0) + 1);
  const listener = (name: unknown, message: unknown) => {
    if (name === channel) run(String(message));
  };
  client.on("message", listener);
  return {
    begin: () => client.subscribe(channel),
    async end() {
      client.off("message", listener);
      const left = (counts.get(channel) ?? 1) - 1;
      counts.set(channel, left);
      if (left === 0) await client.unsubscribe(channel);
    },
  };
}
