import { once } from "node:events";
import { createServer } from "node:net";
import { Redis } from "ioredis";
import { createService } from "restwright";
import { memoryStorage } from "restwright/memory";
import { rateLimit } from "restwright/rate-limit";
import { redisRateLimits } from "restwright/redis";
import { expect, test } from "vitest";
import { clientOf, requestOf } from "../service/client.js";
import { things } from "../service/resources.js";

/** A server that accepts connections and never answers, as Redis does while its machine hangs. */
async function silentServer() {
  const server = createServer((socket) => socket.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return { port: address.port, close: () => server.close() };
}

test("a Redis that hangs delays one request by the time-out, and limits none", async () => {
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
  expect(await Promise.all(Array.from({ length: 20 }, send))).toEqual(Array.from({ length: 20 }, () => 200));
  expect(performance.now() - later).toBeLessThan(9_000);
  expect(messages).toEqual(["The store of rate limits failed; requests are not limited until it answers again."]);
  expect((await clientOf(service)({ target: "/things" })).headers["ratelimit"]).toBeUndefined();
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
    use: [rateLimit({ policies: [{ name: "minute", limit: 1, windowMs: 60_000 }], store })],
  });
  const send = async () => (await service.handle({ ...requestOf({ target: "/things" }), address: "192.0.2.1" }))?.status;
  expect(await send()).toBe(200);
  isDown = false;
  expect(await send()).toBe(200);
  nowMs -= 3_600_000;
  expect(await send()).toBe(429);
  await service.close();
});
