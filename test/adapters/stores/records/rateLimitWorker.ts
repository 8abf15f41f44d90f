import { Redis } from "ioredis";
import { postgresStorage } from "restwright/postgres";
import { redisRateLimits } from "restwright/redis";
import { sqliteStorage } from "restwright/sqlite";
import type { RateLimitAlgorithm, RateLimitStore } from "../../../../src/ground/storage/rateLimits.js";

/** A process that takes from a limit by 100 concurrent calls, and prints how many were allowed. */
const { STORE: place = "", KEY: key = "", ALGORITHM: algorithm = "" } = process.env;

function openStore(): RateLimitStore | undefined {
  if (place.startsWith("redis")) return redisRateLimits(new Redis(place), { prefix: `${key}:` });
  return (place.startsWith("postgres") ? postgresStorage({ connectionString: place }) : sqliteStorage({ path: place })).rateLimits;
}

const store = openStore();
await store?.migrate?.();
// Both processes begin when the other one is ready, too.
process.stdout.write("ready\n");
process.stdin.once("data", async () => {
  const take = { name: "shared", limit: 120, windowMs: 3_600_000, cost: 1, algorithm: algorithm as RateLimitAlgorithm };
  const taken = await Promise.all(Array.from({ length: 100 }, async () => store?.take(key, take)));
  process.stdout.write(`${taken.filter((each) => each?.allowed).length}\n`, () => process.exit(0));
});
