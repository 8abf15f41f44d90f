import type { Redis } from "ioredis";
import { afterAll, describe, test } from "vitest";
import { needs, redisUrl } from "../../../tools/engines.js";
import { connectRedis, ownPrefix } from "./redisServer.js";

/**
 * Tests something in Redis, where REDIS_URL says where that is.
 *
 * @param run defines the tests; what has the prefix is removed when all have run
 */
export function describeInRedis(what: string, run: (client: Redis, prefix: string) => Promise<void>): void {
  describe(`${what} (set REDIS_URL to run)`, needs("redis"), async () => {
    if (redisUrl === undefined) {
      test("needs a server", () => {});
      return;
    }
    const client = connectRedis();
    const { prefix, remove } = ownPrefix();
    afterAll(async () => {
      await remove(client);
      await client.quit();
    });
    await run(client, prefix);
  });
}
