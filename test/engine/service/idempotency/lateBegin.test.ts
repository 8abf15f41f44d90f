// @slow

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { redisIdempotency } from "restwright/redis";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { needs } from "../../../tools/engines.js";
import { freePort } from "../../../tools/freePort.js";
import { fullService } from "../../../tools/fullService.js";

/** A Redis of the test's own, without a disk. */
async function startRedis(port: number): Promise<ChildProcess> {
  const server = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  for await (const line of server.stdout ?? []) if (String(line).includes("Ready to accept connections")) return server;
  throw new Error("Redis has ended.");
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
  const storage = memoryStorage();
  const clientWith = (timeoutMs: number) =>
    clientOf(fullService({ resources: [users], storage, idempotency: { store: redisIdempotency(redis, { timeoutMs }) } }));
  // Only the request that must give up is in a hurry: a busy machine may take a second to answer the others.
  const [send, hurry] = [clientWith(30_000), clientWith(250)];
  const post = (key: string, by = send) => by({ method: "POST", target: "/users", body: { name: "Ada" }, headers: { "idempotency-key": key } });
  expect((await post("before-0123456789")).status).toBe(201);

  first.kill("SIGKILL");
  await once(first, "exit");
  expect((await post("during-0123456789", hurry)).status).toBe(503);
  await sleep(300);
  await startRedis(port);
  // Commands are sent in the order in which they waited: the late begin has arrived when this is answered.
  await redis.ping();
  const retry = await post("during-0123456789");
  expect([retry.status, retry.headers["idempotent-replayed"]]).toEqual([201, undefined]);
  expect((await post("during-0123456789")).headers["idempotent-replayed"]).toBe("true");
  expect((await send({ target: "/users" })).json.meta.total).toBe(2);
});
