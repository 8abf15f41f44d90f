import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { redisIdempotency } from "restwright/redis";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { needs } from "../engines.js";
import { fullService } from "../fullService.js";
import { clientOf } from "./client.js";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : expect.fail();
}

/** A Redis of the test's own, without a disk. */
async function startRedis(port: number): Promise<ChildProcess> {
  const server = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  for await (const line of server.stdout ?? []) if (String(line).includes("Ready to accept connections")) break;
  return server;
}

test("after an outage of Redis a retry is not locked out by the begin of a request that had given up", {
  ...needs("redis-server"),
  timeout: 60_000,
}, async () => {
  const port = await freePort();
  const first = await startRedis(port);
  const redis = new Redis({ port, host: "127.0.0.1", maxRetriesPerRequest: null, retryStrategy: () => 20 });
  redis.on("error", () => {});
  onTestFinished(() => redis.disconnect());
  const users = defineResource("users", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
  const service = fullService({
    resources: [users],
    storage: memoryStorage(),
    idempotency: { store: redisIdempotency(redis, { timeoutMs: 250 }) },
  });
  const send = clientOf(service);
  const post = (key: string) => send({ method: "POST", target: "/users", body: { name: "Ada" }, headers: { "idempotency-key": key } });
  expect((await post("before-0123456789")).status).toBe(201);

  first.kill("SIGKILL");
  await once(first, "exit");
  expect((await post("during-0123456789")).status).toBe(503);
  await sleep(300);
  await startRedis(port);
  // Commands are sent in the order in which they waited: the late begin has arrived when this is answered.
  await redis.ping();
  const retry = await post("during-0123456789");
  expect([retry.status, retry.headers["idempotent-replayed"]]).toEqual([201, undefined]);
  expect((await post("during-0123456789")).headers["idempotent-replayed"]).toBe("true");
  expect((await send({ target: "/users" })).json.meta.total).toBe(2);
});
