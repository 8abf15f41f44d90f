import type { Redis } from "ioredis";
import type { NodeRedisArguments, NodeRedisClient } from "restwright/redis";

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
