import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RateLimitStore, Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { memoryRateLimits } from "restwright/rate-limit";
import { redisRateLimits } from "restwright/redis";
import { sqliteStorage } from "restwright/sqlite";
import { FakeClock, type RateLimitSubject, rateLimitContract } from "restwright/testing";
import { afterAll, describe, test } from "vitest";
import { testContract } from "./contractTests.js";
import { describeInRedis } from "./describeInRedis.js";
import { asBuffers, nodeRedisOver } from "./nodeRedis.js";
import { ownSchema, postgresUrl } from "./postgresSchema.js";

const testLimits = async (open: () => Promise<RateLimitSubject>) => testContract(await rateLimitContract({ open }), []);

function limitsOf({ rateLimits, name }: Storage): RateLimitStore {
  if (rateLimits === undefined) throw new Error(`${name} has no rate limits.`);
  return rateLimits;
}

describe("rate limits in memory", () =>
  testLimits(async () => {
    const clock = new FakeClock();
    return { store: memoryRateLimits({ clock }), advance: (ms) => clock.advance(ms) };
  }));

describe("rate limits in SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restwright-limits-"));
  const storage = sqliteStorage({ path: join(folder, "limits.db") });
  afterAll(async () => {
    await storage.close?.();
    rmSync(folder, { recursive: true, force: true });
  });
  await testLimits(async () => ({ store: limitsOf(storage) }));
});

describe.skipIf(postgresUrl === undefined)("rate limits in PostgreSQL (set POSTGRES_URL to run)", async () => {
  if (postgresUrl === undefined) {
    test("needs a server", () => {});
    return;
  }
  const schema = ownSchema();
  const storage = postgresStorage({ connectionString: await schema.create() });
  afterAll(async () => {
    await storage.close?.();
    await schema.drop();
  });
  await testLimits(async () => ({ store: limitsOf(storage) }));
});

describeInRedis("rate limits in Redis", async (client, prefix) => testLimits(async () => ({ store: redisRateLimits(client, { prefix }) })));

describeInRedis("rate limits in Redis, by a client of redis", async (client, prefix) =>
  testLimits(async () => ({ store: redisRateLimits(nodeRedisOver(client, asBuffers), { prefix }) })),
);
