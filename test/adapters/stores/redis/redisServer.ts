import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { redisUrl } from "../../../tools/engines.js";

/** A connection whose commands are refused at once where there is none. */
export function connectRedis(url = redisUrl ?? ""): Redis {
  return new Redis(url, { maxRetriesPerRequest: 1 });
}

/** Keys that no other test uses. */
export function ownPrefix() {
  const prefix = `restwright:test:${randomUUID()}:`;
  return {
    prefix,
    async remove(client: Redis): Promise<void> {
      for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1_000 })) {
        for (const key of keys as string[]) await client.del(key);
      }
    },
  };
}
