import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineResource } from "restwright";
import { diskBlobs } from "restwright/disk";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { fullService } from "../../../tools/fullService.js";
import { nameOf } from "./importedName.js";
import { impatient, killedWebhooks } from "./killedWebhooks.js";

/** A server of imports to be killed, on SQLite or PostgreSQL, with leases that are over soon. With `CA_PEM` it tells webhooks of each row. Prints its port. */
const { SQLITE_PATH, DATABASE_URL, CA_PEM, BLOBS_PATH = "" } = process.env;

const things = defineResource("things", {
  schema: z.object({ id: z.int(), import: z.string(), item: z.int().min(0) }),
  generated: { id: "increment" },
  unique: [["import", "item"]],
  index: ["import"],
  events: { "thing.created": { on: "create", data: ({ id, import: file, item }) => ({ id, name: nameOf(file, item), revision: 0 }) } },
});
const storage = SQLITE_PATH === undefined ? postgresStorage({ connectionString: DATABASE_URL ?? "" }) : sqliteStorage({ path: SQLITE_PATH });
const service = fullService({
  resources: [things],
  storage: CA_PEM === undefined ? storage : impatient(storage),
  ...(CA_PEM !== undefined && { webhooks: killedWebhooks(CA_PEM), secrets: ["a secret that all processes share"] }),
  blobs: diskBlobs({ path: BLOBS_PATH }),
  limits: { maxPerPage: 10_000 },
  idempotency: { leaseMs: 400, waitMs: 200 },
  jobs: { leaseMs: Number(process.env["JOB_LEASE_MS"] ?? 600), pollMs: 150, maxPerTenant: 8, maxQueuedPerTenant: 1_000 },
});
await service.start();
const server = createServer(nodeHandler(service));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
