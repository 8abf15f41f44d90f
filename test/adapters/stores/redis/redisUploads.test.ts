// @slow

import { Redis } from "ioredis";
import { type NodeRedisClient, redisUploads } from "restwright/redis";
import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { NewUpload } from "../../../../src/ground/storage/files/uploads.js";
import { testUploads } from "../records/uploadTests.js";
import { describeInRedis } from "./describeInRedis.js";
import { asBuffers, nodeRedisOver } from "./nodeRedis.js";
import { connectRedis } from "./redisServer.js";

function upload(id: string, change: Partial<NewUpload> = {}): NewUpload {
  return { ...{ id, tenant: "acme", owner: "ada", account: "ada" }, isOpen: true, bytes: 5, dueAt: undefined, data: { id }, ...change };
}

test("a client of another kind is refused at once, with what is allowed", () => {
  const other = { get: async () => null } as unknown as NodeRedisClient;
  expect(() => redisUploads(other)).toThrow("pass a client of ioredis, or of redis");
});

test("uploads in Redis are unavailable where nothing listens", async () => {
  const client = new Redis("redis://127.0.0.1:1", { maxRetriesPerRequest: 1, retryStrategy: () => 10 });
  client.on("error", () => {});
  const store = redisUploads(client);
  await expect(store.create(upload("a"))).rejects.toBeInstanceOf(Unavailable);
  await expect(store.due(new Date(), 1)).rejects.toBeInstanceOf(Unavailable);
  client.disconnect();
});

test("uploads in Redis are unavailable after the time that was given", async () => {
  const silent: NodeRedisClient = { evalSha: () => new Promise(() => {}), eval: () => new Promise(() => {}) };
  await expect(redisUploads(silent, { timeoutMs: 20 }).get("a")).rejects.toThrow("Redis did not answer within 20 ms.");
});

describeInRedis("uploads in Redis", async (client, prefix) => {
  describe.each([
    ["as the package redis is called", nodeRedisOver(client)],
    ["with a client that answers buffers", nodeRedisOver(client, asBuffers)],
  ])("%s", async (name, nodeRedis) => {
    let stores = 0;
    const open = async () => {
      stores += 1;
      return { store: redisUploads(nodeRedis, { prefix: `${prefix}${name} ${stores}:` }) };
    };
    await testUploads(open, ["the store stands alone, without a storage"]);
  });

  test("have three keys under the prefix, and leave none of them when all is removed", async () => {
    const own = `${prefix}{three}:`;
    const store = redisUploads(client, { prefix: own });
    await store.create(upload("a", { dueAt: new Date(1) }));
    const keys = ["accounts", "due", "records"].map((name) => `${own}${name}`);
    expect((await client.keys(`${own}*`)).sort()).toEqual(keys);
    await store.update("a", 1, { bytes: 0, isOpen: false });
    expect(await client.exists(`${own}accounts`)).toBe(0);
    await store.update("a", 2, { dueAt: undefined });
    expect(await client.exists(`${own}due`)).toBe(0);
    expect(await store.remove("a", 3)).toBe(true);
    expect(await client.keys(`${own}*`)).toEqual([]);
  });

  test("have keys of one slot unless another prefix is given", async () => {
    const seen: string[][] = [];
    const watching: NodeRedisClient = {
      evalSha: async (_sha1, { keys }) => {
        seen.push(keys);
        return ["0", "0"];
      },
      eval: async () => undefined,
    };
    await redisUploads(watching).use("t", "a");
    const slots = await Promise.all((seen[0] ?? []).map((key) => client.call("cluster", "keyslot", key).catch(() => key.split("}")[0])));
    expect(slots).toHaveLength(3);
    expect(new Set(slots).size).toBe(1);
  });

  test("of one account are never more than the limits, though four connections write at once", async () => {
    const connections = Array.from({ length: 4 }, () => connectRedis());
    const stores = connections.map((one) => redisUploads(one, { prefix: `${prefix}{limited}:` }));
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (stores[index % 4] ?? expect.fail()).create(upload(`limited ${index}`), { maxOpen: 50, maxBytes: 150 }),
      ),
    );
    expect(outcomes.filter(({ outcome }) => outcome === "stored")).toHaveLength(30);
    expect(await stores[0]?.use("acme", "ada")).toEqual({ open: 30, bytes: 150 });
    for (const one of connections) await one.quit();
  });

  test("go on when the server has forgotten its scripts", async () => {
    const store = redisUploads(client, { prefix: `${prefix}{forgotten}:` });
    await client.script("FLUSH");
    expect((await store.create(upload("a"))).outcome).toBe("stored");
    await client.script("FLUSH");
    expect((await store.update("a", 1, { data: 2 })).outcome).toBe("stored");
  });

  test("pass on that a key of their names belongs to something else", async () => {
    await client.set(`${prefix}{foreign}:records`, "text");
    await expect(redisUploads(client, { prefix: `${prefix}{foreign}:` }).create(upload("a"))).rejects.toThrow("WRONGTYPE");
  });
});
