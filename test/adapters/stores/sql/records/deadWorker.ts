import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import type { Storage } from "../../../../../src/ground/storage/storage.js";

/** A process that takes leases of all that there is, says so, and does nothing more: it lives until it is killed. */
const place = process.env["STORE"] ?? "";
const storage: Storage = place.startsWith("postgres") ? postgresStorage({ connectionString: place }) : sqliteStorage({ path: place });
await storage.migrate?.([]);
/** Far longer than a test waits for the leases of a process that is dead. */
const leaseMs = 600_000;
const jobs = await storage.jobs?.claim({ types: ["work"], leaseMs, max: 10, maxPerTenant: 10 });
const deliveries = await storage.deliveries?.claim({ leaseMs, max: 10, maxPerWebhook: 10 });
const tasks = await storage.subscribers?.claim({ name: "mail", leaseMs, max: 10 });
const request = { fingerprint: "f", operationId: `operation of ${process.pid}`, leaseMs, ttlMs: 86_400_000 };
const begun = await storage.idempotency?.begin("key", request);
process.stdout.write(`${JSON.stringify({ jobs: jobs?.length, deliveries: deliveries?.length, tasks: tasks?.length, key: begun?.kind })}\n`);
setInterval(() => {}, 60_000);
