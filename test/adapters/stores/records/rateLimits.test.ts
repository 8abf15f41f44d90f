// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RateLimitStore, Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { memoryRateLimits, type RateLimitAlgorithm } from "restwright/rate-limit";
import { redisRateLimits } from "restwright/redis";
import { sqliteStorage } from "restwright/sqlite";
import { FakeClock, type RateLimitSubject, rateLimitContract } from "restwright/testing";
import { afterAll, describe, expect, test } from "vitest";
import { needs, postgresUrl } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { describeInRedis } from "../redis/describeInRedis.js";
import { asBuffers, nodeRedisOver } from "../redis/nodeRedis.js";
import { testContract } from "./contractTests.js";

const testLimits = async (open: () => Promise<RateLimitSubject>) => testContract(await rateLimitContract({ open }), []);

function limitsOf({ rateLimits, name }: Storage): RateLimitStore {
  if (rateLimits === undefined) throw new Error(`${name} has no rate limits.`);
  return rateLimits;
}

/** The clock of a database cannot be set back in a test, but its rows can be moved ahead. */
async function testClockSetBack(limits: RateLimitStore, algorithm: RateLimitAlgorithm, moveAhead: (ms: number) => Promise<unknown>): Promise<void> {
  const take = { name: `back-${algorithm}`, limit: 2, windowMs: 60_000, cost: 2, algorithm } as const;
  expect((await limits.take("ann", take)).allowed).toBe(true);
  expect((await limits.take("ann", take)).allowed).toBe(false);
  await moveAhead(3_600_000);
  expect((await limits.take("ann", take)).allowed).toBe(true);
  const refused = await limits.take("ann", take);
  expect(refused.allowed).toBe(false);
  expect(refused.retryMs).toBeGreaterThan(0);
  expect(refused.retryMs).toBeLessThanOrEqual(60_000);
}

const moveRows = (storage: Storage) => async (ms: number) =>
  storage.transaction?.(
    (tx) => tx.sql?.(`update "_restwright_rate_limits" set "at" = "at" + ${ms}, "ends" = "ends" + ${ms}`, []) ?? Promise.resolve([]),
  );

const setBack = "%s refuses nobody for longer than its window if the clock is set back";
const algorithms = ["fixed-window", "gcra"] as const satisfies readonly RateLimitAlgorithm[];

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
  test.each(algorithms)(setBack, (algorithm) => testClockSetBack(limitsOf(storage), algorithm, moveRows(storage)));
});

describe("rate limits in PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), async () => {
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
  test.each(algorithms)(setBack, (algorithm) => testClockSetBack(limitsOf(storage), algorithm, moveRows(storage)));
});

describeInRedis("rate limits in Redis", async (client, prefix) => {
  const store = redisRateLimits(client, { prefix });
  await testLimits(async () => ({ store }));
  test.each(algorithms)(setBack, (algorithm) =>
    testClockSetBack(store, algorithm, async (ms) => {
      for (const key of await client.keys(`${prefix}*`)) await client.hincrby(key, "at", ms);
    }),
  );
});

describeInRedis("rate limits in Redis, by a client of redis", async (client, prefix) =>
  testLimits(async () => ({ store: redisRateLimits(nodeRedisOver(client, asBuffers), { prefix }) })),
);
