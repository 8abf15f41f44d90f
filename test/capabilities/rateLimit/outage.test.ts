import { once } from "node:events";
import { createServer } from "node:net";
import { Redis } from "ioredis";
import { createService, type RateLimitStore } from "restwright";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { memoryRateLimits, rateLimit } from "restwright/rate-limit";
import { redisRateLimits } from "restwright/redis";
import { describe, expect, test } from "vitest";
import { things } from "../../engine/service/resources.js";
import { requestOf } from "../../tools/client.js";
import { needs } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/** A server that accepts connections and never answers, as Redis does while its machine hangs. */
async function silentServer() {
  const server = createServer((socket) => socket.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return { port: address.port, close: () => server.close() };
}

test("a Redis that hangs delays one request by the time-out, and the process counts by itself", async () => {
  const server = await silentServer();
  const redis = new Redis({ host: "127.0.0.1", port: server.port, maxRetriesPerRequest: null }).on("error", () => {});
  const messages: string[] = [];
  const note = (_facts: unknown, message: string) => void messages.push(message);
  const service = createService({
    resources: [things],
    storage: memoryStorage(),
    logger: { error: note, warn: note, info: note, debug: note },
    use: [rateLimit({ policies: [{ name: "minute", limit: 1, windowMs: 60_000 }], store: redisRateLimits(redis), timeoutMs: 1_000 })],
  });
  const send = async () => (await service.handle({ ...requestOf({ target: "/things" }), address: "192.0.2.1" }))?.status;
  const started = performance.now();
  expect(await send()).toBe(200);
  expect(performance.now() - started).toBeGreaterThan(900);
  const later = performance.now();
  expect(await Promise.all(Array.from({ length: 20 }, send))).toEqual(Array.from({ length: 20 }, () => 429));
  expect(performance.now() - later).toBeLessThan(9_000);
  expect(messages).toEqual(["The store of rate limits failed; each process counts by itself until it answers again."]);
  expect((await service.handle({ ...requestOf({ target: "/things" }), address: "192.0.2.2" }))?.headers["ratelimit"]).toContain("minute");
  await service.close();
  redis.disconnect();
  server.close();
});

test("a clock that is set back during an outage does not prolong it", async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  let isDown = true;
  const store = {
    take() {
      if (isDown) throw new Error("The store is down.");
      return { allowed: false, remaining: 0, resetMs: 60_000, retryMs: 60_000 };
    },
  };
  const service = createService({
    resources: [things],
    storage: memoryStorage(),
    logger: false,
    clock: { now: () => nowMs },
    use: [rateLimit({ policies: [{ name: "minute", limit: 2, windowMs: 60_000 }], store })],
  });
  const send = async () => (await service.handle({ ...requestOf({ target: "/things" }), address: "192.0.2.1" }))?.status;
  expect(await send()).toBe(200);
  isDown = false;
  expect(await send()).toBe(200);
  nowMs -= 3_600_000;
  expect(await send()).toBe(429);
  await service.close();
});

describe("a burst that is too much for the store", () => {
  const limit = 20;

  /** A store that is exact, and answers each call later than the one before. */
  function slowStore(stepMs: number): RateLimitStore {
    const exact = memoryRateLimits();
    let calls = 0;
    return {
      async take(key, take) {
        const taken = exact.take(key, take);
        calls += 1;
        await new Promise((resolve) => setTimeout(resolve, calls * stepMs));
        return taken;
      },
    };
  }

  const burst = async (store: RateLimitStore, timeoutMs: number) => {
    const service = createService({
      resources: [things],
      storage: memoryStorage(),
      logger: false,
      use: [rateLimit({ policies: [{ name: "minute", limit, windowMs: 60_000 }], store, timeoutMs })],
    });
    const send = async () => (await service.handle({ ...requestOf({ target: "/things" }), address: "192.0.2.1" }))?.status;
    const statuses = await Promise.all(Array.from({ length: 200 }, send));
    await service.close();
    return statuses.filter((status) => status === 200).length;
  };

  test.each([
    ["the first answers come in time", 2],
    ["no answer comes in time", 200],
    ["some answers come late", 10],
  ])("lets no more pass than the limit of one process if %s", async (_, stepMs) => {
    expect(await burst(slowStore(stepMs), 100)).toBeLessThanOrEqual(limit);
  });
});

describe("a burst on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("lets pass what the limit allows, although the pool is taken", async () => {
    const schema = ownSchema();
    const storage = postgresStorage({ connectionString: await schema.create(), poolSize: 2 });
    const service = createService({
      resources: [things],
      storage,
      logger: false,
      use: [
        rateLimit({ policies: [{ name: "minute", limit: 20, windowMs: 60_000 }], store: storage.rateLimits as RateLimitStore, timeoutMs: 5_000 }),
      ],
    });
    await service.start();
    const send = async () => (await service.handle({ ...requestOf({ target: "/things" }), address: "192.0.2.1" }))?.status;
    expect(await send()).toBe(200);
    // Both connections of the pool are held meanwhile.
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hold = async () => storage.transaction?.(async () => released);
    const holders = [hold(), hold()];
    const answers = Promise.all(Array.from({ length: 400 }, send));
    const refused = await Promise.race([answers.then(() => "all"), refusedFirst(send)]);
    expect(refused).toBe(429);
    release();
    await Promise.all(holders);
    expect((await answers).filter((status) => status === 200)).toHaveLength(19);
    await service.close();
    await schema.drop();
  });

  /** Requests that are refused need no connection of the pool. */
  async function refusedFirst(send: () => Promise<number | undefined>): Promise<number | undefined> {
    for (let count = 0; count < 50; count++) {
      const status = await send();
      if (status === 429) return status;
    }
    return undefined;
  }
});
