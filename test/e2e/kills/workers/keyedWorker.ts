import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Redis } from "ioredis";
import { defineResource } from "restwright";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { redisIdempotency } from "restwright/redis";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { fullService } from "../../../tools/fullService.js";

/** A server to be killed: SQLite or PostgreSQL, with the records of keys beside the rows or in Redis. Prints its port. */
const { SQLITE_PATH, DATABASE_URL, RECORDS_REDIS_URL, RECORDS_PREFIX, DEVELOPERS_TABLE, LEASE_MS = "400" } = process.env;

const things = defineResource("things", {
  schema: z.object({ id: z.int(), name: z.string(), quantity: z.int().default(0) }),
  ...(DEVELOPERS_TABLE === undefined
    ? { generated: { id: "increment" } }
    : { generated: { id: "database" }, table: { name: DEVELOPERS_TABLE, managed: false, version: "hash", tenant: "shared" } }),
});
const storage = SQLITE_PATH === undefined ? postgresStorage({ connectionString: DATABASE_URL ?? "" }) : sqliteStorage({ path: SQLITE_PATH });
const leaseMs = Number(LEASE_MS);
const idempotency =
  RECORDS_REDIS_URL === undefined
    ? { leaseMs, waitMs: 200 }
    : { leaseMs, waitMs: 200, store: redisIdempotency(new Redis(RECORDS_REDIS_URL), { prefix: RECORDS_PREFIX ?? "" }) };
const service = fullService({ resources: [things], storage, idempotency });
await service.start();
const server = createServer(nodeHandler(service));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
