import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineResource } from "restwright";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { fullService } from "../../../tools/fullService.js";

/** A server of batches to be killed, on SQLite or PostgreSQL, with leases that are over soon. Prints its port. */
const { SQLITE_PATH, DATABASE_URL } = process.env;

const things = defineResource("things", {
  schema: z.object({ id: z.int(), batch: z.string(), item: z.int().min(0) }),
  generated: { id: "increment" },
  index: ["batch"],
});
const service = fullService({
  resources: [things],
  storage: SQLITE_PATH === undefined ? postgresStorage({ connectionString: DATABASE_URL ?? "" }) : sqliteStorage({ path: SQLITE_PATH }),
  // A batch that its worker left undone is free again after four times its time.
  limits: { batchItems: 10_000, batchMs: 1_000, maxPerPage: 10_000 },
  idempotency: { leaseMs: 400, waitMs: 200 },
  jobs: { leaseMs: 600, pollMs: 150, maxPerTenant: 8 },
});
await service.start();
const server = createServer(nodeHandler(service));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
