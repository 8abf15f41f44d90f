// @slow

import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { type NodeRedisClient, redisIdempotency } from "restwright/redis";
import { afterEach, describe, expect, test } from "vitest";
import { translateError } from "../../../../adapters/stores/redis/errors.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { BeginRequest } from "../../../../src/ground/storage/idempotency.js";
import { testIdempotency } from "../records/idempotencyTests.js";
import { describeInRedis } from "./describeInRedis.js";
import { asBuffers, nodeRedisOver } from "./nodeRedis.js";

const request: BeginRequest = { fingerprint: "f", operationId: "o", leaseMs: 60_000, ttlMs: 86_400_000 };

const clients: Redis[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});

function connecting(url: string, options = {}): Redis {
  const client = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => 10, ...options });
  client.on("error", () => {});
  clients.push(client);
  return client;
}

test("a client of another kind is refused at once, with what is allowed", () => {
  const other = { get: async () => null } as unknown as NodeRedisClient;
  expect(() => redisIdempotency(other)).toThrow("pass a client of ioredis, or of redis");
});

describe("Redis that cannot answer", () => {
  test("is unavailable where nothing listens, and the message keeps the password to itself", async () => {
    const store = redisIdempotency(connecting("redis://ada:secret@127.0.0.1:1"));
    const failure = await store.begin("id", request).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Unavailable);
    expect(String(failure)).toContain("Check that it runs and that its address is correct.");
    expect(String(failure)).not.toContain("secret");
  });

  test("is unavailable after the time that was given, where it takes a connection and says nothing", async () => {
    const server = createServer(() => {}).listen(0);
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const store = redisIdempotency(connecting(`redis://127.0.0.1:${port}`, { maxRetriesPerRequest: null }), { timeoutMs: 60 });
    await expect(store.begin("id", request)).rejects.toThrow("Redis did not answer within 60 ms.");
    await expect(store.complete("id", "o", 1, new Uint8Array(3))).rejects.toBeInstanceOf(Unavailable);
    server.close();
  });

  test.each([
    ["LOADING Redis is loading the dataset in memory", "still loading"],
    ["OOM command not allowed when used memory > 'maxmemory'.", "memory is full"],
    ["READONLY You can't write against a read only replica.", "is a replica"],
    ["NOAUTH Authentication required.", "rejected the login"],
    ["CLUSTERDOWN The cluster is down", "cluster is down"],
    ["Connection is closed.", "cannot be reached"],
    ["Reached the max retries per request limit (which is 1).", "cannot be reached"],
    ["Socket closed unexpectedly", "cannot be reached"],
  ])("is unavailable where it or a client says: %s", (message, remedy) => {
    const cause = new Error(message);
    const translated = translateError(cause);
    expect(translated).toBeInstanceOf(Unavailable);
    expect(translated).toMatchObject({ cause });
    expect(String(translated)).toContain(remedy);
  });

  test.each([
    new Error("WRONGTYPE Operation against a key holding the wrong kind of value"),
    new Error("ERR value is not an integer or out of range"),
    new TypeError("client.eval is not a function"),
  ])("passes a mistake on as it is: %s", (error) => {
    expect(translateError(error)).toBe(error);
  });
});

describeInRedis("Redis", async (client, prefix) => {
  describe.each([
    ["as the package redis is called", nodeRedisOver(client)],
    ["with a client that answers buffers", nodeRedisOver(client, asBuffers)],
  ])("%s", async (_name, nodeRedis) => {
    const open = async () => ({ store: redisIdempotency(nodeRedis, { prefix }) });
    await testIdempotency(open, ["the store stands alone, without a storage", "the store has no purge()"]);
  });

  test("keeps a record under the prefix and the id, in a hash that expires with its life or its lease", async () => {
    const store = redisIdempotency(client, { prefix });
    await store.begin("life", { ...request, ttlMs: 90_000 });
    expect(await client.type(`${prefix}life`)).toBe("hash");
    const life = await client.pttl(`${prefix}life`);
    expect(life).toBeGreaterThan(80_000);
    expect(life).toBeLessThanOrEqual(90_000);
    await store.begin("lease", { ...request, ttlMs: 1 });
    expect(await client.pttl(`${prefix}lease`)).toBeGreaterThan(50_000);
    await store.renew?.("lease", "o", 1, 120_000);
    expect(await client.pttl(`${prefix}lease`)).toBeGreaterThan(110_000);
    await store.complete("life", "o", 1, Uint8Array.of(1));
    expect(await client.pttl(`${prefix}life`)).toBeGreaterThan(80_000);
    await store.abandon("lease", "o", 1);
    expect(await client.exists(`${prefix}lease`)).toBe(0);
  });

  test("has a prefix of its own unless one is given", async () => {
    const id = `${prefix}default`;
    await redisIdempotency(client).begin(id, { ...request, leaseMs: 1_000, ttlMs: 1_000 });
    expect(await client.del(`restwright:idempotency:${id}`)).toBe(1);
  });

  test("leaves nothing behind when a record has expired", async () => {
    await redisIdempotency(client, { prefix }).begin("gone", { ...request, leaseMs: 5, ttlMs: 5 });
    await sleep(30);
    expect(await client.exists(`${prefix}gone`)).toBe(0);
  });

  test("goes on when the server has forgotten its scripts", async () => {
    const store = redisIdempotency(client, { prefix });
    for (const attempt of [1, 2]) {
      await client.script("FLUSH");
      expect(await store.begin(`forgotten${attempt}`, request)).toEqual({ kind: "acquired", operationId: "o", attempt: 1 });
      await client.script("FLUSH");
      expect(await store.complete(`forgotten${attempt}`, "o", 1, Uint8Array.of(attempt))).toBe(true);
    }
  });

  test("passes on that a key of its name belongs to something else", async () => {
    await client.set(`${prefix}foreign`, "text");
    await expect(redisIdempotency(client, { prefix }).begin("foreign", request)).rejects.toThrow("WRONGTYPE");
  });
});
