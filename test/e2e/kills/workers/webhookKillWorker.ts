import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineResource } from "restwright";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { fullService } from "../../../tools/fullService.js";
import { impatient, killedWebhooks } from "./killedWebhooks.js";

/** A server that tells webhooks of its writes, to be killed, on SQLite or PostgreSQL; it trusts the authority in `CA_PEM`. Prints its port. */
const { SQLITE_PATH, DATABASE_URL, CA_PEM = "" } = process.env;

const things = defineResource("things", {
  schema: z.object({ id: z.int(), name: z.string(), revision: z.int().default(0) }),
  generated: { id: "increment" },
  unique: ["name"],
  events: {
    "thing.created": { on: "create", data: ({ id, name }) => ({ id, name, revision: 0 }) },
    "thing.changed": { on: "update", data: ({ id, name, revision }) => ({ id, name, revision }) },
  },
});

const storage = SQLITE_PATH === undefined ? postgresStorage({ connectionString: DATABASE_URL ?? "" }) : sqliteStorage({ path: SQLITE_PATH });
const service = fullService({
  resources: [things],
  storage: impatient(storage),
  secrets: ["a secret that all processes share"],
  limits: { maxPerPage: 10_000 },
  idempotency: { leaseMs: 400, waitMs: 200 },
  jobs: false,
  webhooks: killedWebhooks(CA_PEM),
});
await service.start();
const server = createServer(nodeHandler(service));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
