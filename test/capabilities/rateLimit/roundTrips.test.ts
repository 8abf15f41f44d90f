import { createService, type RateLimitStore } from "restwright";
import { memoryStorage } from "restwright/memory";
import { type RateLimitPolicy, rateLimit } from "restwright/rate-limit";
import { redisRateLimits } from "restwright/redis";
import { type SqlExecutor, sqlStorage } from "restwright/sql";
import { expect, test } from "vitest";
import { things } from "../../engine/service/resources.js";
import { requestOf } from "../../tools/client.js";

const policies: readonly RateLimitPolicy[] = [
  { name: "minute", limit: 9, windowMs: 60_000 },
  { name: "hour", limit: 9, windowMs: 3_600_000, algorithm: "gcra" },
];

/** What the store sends for one request, and how much of it before the first answer. */
async function sentFor(open: (arrived: () => Promise<void>) => RateLimitStore | undefined): Promise<{ sent: number; together: number }> {
  let [sent, together] = [0, 0];
  const store = open(async () => {
    sent += 1;
    await new Promise((resolve) => setImmediate(resolve));
    together ||= sent;
  });
  if (store === undefined) throw new Error("There is no store.");
  const { migrate: _, ...ready } = store;
  const service = createService({ resources: [things], storage: memoryStorage(), use: [rateLimit({ policies, store: ready })] });
  const answer = await service.handle({ ...requestOf({ target: "/things" }), address: "192.0.2.1" });
  expect([answer?.status, answer?.headers["ratelimit"]]).toEqual([200, expect.stringContaining("r=8")]);
  return { sent, together };
}

test("a request is counted by one script of Redis for each policy, all of them at the same time", async () => {
  const nowMs = String(Date.now());
  const open = (arrived: () => Promise<void>) => {
    const evalsha = async () => {
      await arrived();
      return [1, "1", nowMs, nowMs];
    };
    return redisRateLimits({ evalsha, eval: evalsha });
  };
  expect(await sentFor(open)).toEqual({ sent: 2, together: 2 });
});

test.each(["postgres", "sqlite"] as const)(
  "a request is counted by one statement of %s for each policy, all of them at the same time",
  async (dialect) => {
    const nowMs = Date.now();
    const open = (arrived: () => Promise<void>) => {
      const executor: SqlExecutor = {
        dialect,
        async query() {
          await arrived();
          return { rows: [{ allowed: 1, used: 1, at: nowMs, now: nowMs }], affected: 1 };
        },
        transaction: () => Promise.reject(new Error("A limit needs no transaction.")),
      };
      return sqlStorage(executor).rateLimits;
    };
    expect(await sentFor(open)).toEqual({ sent: 2, together: 2 });
  },
);
