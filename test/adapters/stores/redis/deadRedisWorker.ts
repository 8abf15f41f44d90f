import { Redis } from "ioredis";
import { redisIdempotency } from "restwright/redis";

/** A process that begins an operation, says so, and does nothing more: it lives until it is killed. The lease is far longer than a test waits. */
const store = redisIdempotency(new Redis(process.env["REDIS_URL"] ?? ""), { prefix: process.env["PREFIX"] ?? "" });
const request = { fingerprint: "f", operationId: "of the dead", leaseMs: 600_000, ttlMs: 1_200_000 };
process.stdout.write(`${(await store.begin("key", request)).kind}\n`);
setInterval(() => {}, 60_000);
