import { Redis } from "ioredis";
import { redisIdempotency } from "restwright/redis";

/** A process that begins an operation, says so, and does nothing more: it lives until it is killed. */
const store = redisIdempotency(new Redis(process.env["REDIS_URL"] ?? ""), { prefix: process.env["PREFIX"] ?? "" });
const request = { fingerprint: "f", operationId: "of the dead", leaseMs: 60_000, ttlMs: 120_000 };
process.stdout.write(`${(await store.begin("key", request)).kind}\n`);
setInterval(() => {}, 60_000);
