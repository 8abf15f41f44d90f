import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineResource, type Storage } from "restwright";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { undiciTransport } from "restwright/undici";
import { z } from "zod";
import { fullService } from "../fullService.js";

/** A server that tells webhooks of its writes, to be killed, on SQLite or PostgreSQL; it trusts the authority in `CA_PEM`. Prints its port. */
const { SQLITE_PATH, DATABASE_URL, CA_PEM } = process.env;
const headTimeoutMs = 400;
const bodyMs = 200;
/** More than twice the longest attempt, as in earnest, and soon over. */
const leaseMs = 1_300;

const things = defineResource("things", {
  schema: z.object({ id: z.int(), name: z.string(), revision: z.int().default(0) }),
  generated: { id: "increment" },
  unique: ["name"],
  events: {
    "thing.created": { on: "create", data: ({ id, name }) => ({ id, name, revision: 0 }) },
    "thing.changed": { on: "update", data: ({ id, name, revision }) => ({ id, name, revision }) },
  },
});

/** The lease of the service itself is over a minute, as its longest attempt is half a minute. */
function impatient(storage: Storage): Storage {
  const { deliveries } = storage;
  if (deliveries === undefined) throw new Error("The storage keeps no deliveries.");
  return { ...storage, deliveries: { ...deliveries, claim: (request) => deliveries.claim({ ...request, leaseMs }) } };
}

const storage = SQLITE_PATH === undefined ? postgresStorage({ connectionString: DATABASE_URL ?? "" }) : sqliteStorage({ path: SQLITE_PATH });
const service = fullService({
  resources: [things],
  storage: impatient(storage),
  secrets: ["a secret that all processes share"],
  limits: { maxPerPage: 10_000 },
  idempotency: { leaseMs: 400, waitMs: 200 },
  jobs: false,
  webhooks: {
    transport: undiciTransport({ network: { allowCidrs: ["127.0.0.1/32"], ca: CA_PEM }, lookup: async () => ["127.0.0.1"], headTimeoutMs, bodyMs }),
    // Attempts that kills cut off use up the schedule.
    scheduleMs: [0, ...Array<number>(50).fill(150)],
    pollMs: 100,
    perWebhook: 20,
    disableAfter: { consecutive: 1_000_000 },
  },
});
await service.start();
const server = createServer(nodeHandler(service));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
