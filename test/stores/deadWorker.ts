import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import type { Storage } from "../../src/storage/storage.js";

/** A process that takes leases of all that there is, says so, and does nothing more: it lives until it is killed. */
const place = process.env["STORE"] ?? "";
const storage: Storage = place.startsWith("postgres") ? postgresStorage({ connectionString: place }) : sqliteStorage({ path: place });
await storage.migrate?.([]);
const jobs = await storage.jobs?.claim({ types: ["work"], leaseMs: 60_000, max: 10, maxPerTenant: 10 });
const deliveries = await storage.deliveries?.claim({ leaseMs: 75_000, max: 10, maxPerWebhook: 10 });
const tasks = await storage.subscribers?.claim({ name: "mail", leaseMs: 75_000, max: 10 });
const request = { fingerprint: "f", operationId: `operation of ${process.pid}`, leaseMs: 60_000, ttlMs: 86_400_000 };
const begun = await storage.idempotency?.begin("key", request);
process.stdout.write(`${JSON.stringify({ jobs: jobs?.length, deliveries: deliveries?.length, tasks: tasks?.length, key: begun?.kind })}\n`);
setInterval(() => {}, 60_000);
