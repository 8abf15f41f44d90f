import type { Redis } from "ioredis";
import type { NodeRedisArguments, NodeRedisClient, NodeRedisSubscriber } from "restwright/redis";

/** The surface of the `redis` package, with its replies, on a connection of `ioredis`. */
export function nodeRedisOver(client: Redis, reply: (value: unknown) => unknown = (value) => value): NodeRedisClient {
  const values = (options: NodeRedisArguments) => [options.keys.length, ...options.keys, ...options.arguments] as const;
  return {
    evalSha: async (sha1, options) => reply(await client.call("evalsha", [sha1, ...values(options)])),
    eval: async (script, options) => reply(await client.call("eval", [script, ...values(options)])),
  };
}

/** Clients can be told to answer buffers. */
export function asBuffers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asBuffers);
  return typeof value === "string" ? Buffer.from(value) : value;
}

/** What listens of the `redis` package, on a connection of `ioredis`: listeners belong to a channel, each once. */
export function nodeRedisListener(client: Redis): NodeRedisSubscriber {
  const listeners = new Map<string, Set<(message: string, channel: string) => unknown>>();
  client.on("message", (channel: string, message: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(message, channel);
  });
  return {
    pSubscribe: () => Promise.reject(new Error("Nothing listens to patterns.")),
    async subscribe(channel, listener) {
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener));
      await client.subscribe(channel);
    },
    async unsubscribe(channel, listener) {
      listeners.get(channel)?.delete(listener);
      if (listeners.get(channel)?.size === 0) await client.unsubscribe(channel);
    },
    on: (event, listener) => client.on(event as "ready", listener as () => void),
    off: (event, listener) => client.off(event as "ready", listener as () => void),
  };
}
