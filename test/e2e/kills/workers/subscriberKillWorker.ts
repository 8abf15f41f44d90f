import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { type HandledEvent, subscribers } from "restwright/subscribers";
import { z } from "zod";

/**
 * A server that handles the events of its writes, to be killed, on SQLite or PostgreSQL. Each handled event is a line of the file `HANDLED_PATH`, which outlives the process. Prints
 * its port.
 */
const { SQLITE_PATH, DATABASE_URL, HANDLED_PATH = "", ONLY } = process.env;

const things = defineResource("things", {
  schema: z.object({ id: z.int(), name: z.string(), revision: z.int().default(0) }),
  generated: { id: "increment" },
  unique: ["name"],
  batch: {},
  events: {
    "thing.created": { on: "create", data: ({ id, name }) => ({ id, name, revision: 0 }) },
    "thing.changed": { on: "update", data: ({ id, name, revision }) => ({ id, name, revision }) },
  },
});

const service = createService({
  resources: [things],
  storage: SQLITE_PATH === undefined ? postgresStorage({ connectionString: DATABASE_URL ?? "" }) : sqliteStorage({ path: SQLITE_PATH }),
  secrets: ["a secret that all processes share"],
  limits: { maxPerPage: 10_000 },
  idempotency: { leaseMs: 400, waitMs: 200 },
  logger: false,
  // Attempts that kills cut off use up the schedule.
  use: [batch(), subscribers({ pollMs: 100, scheduleMs: [0, ...Array<number>(99).fill(50)] })],
});

/** Takes its time before and after, so that kills come at each point, and fails now and then. */
const handle = (path: string) => async (event: HandledEvent) => {
  await sleep(20 * Math.random());
  const chance = Math.random();
  if (chance < 0.05) throw new Error("It failed before anything was done.");
  appendFileSync(HANDLED_PATH, `${JSON.stringify({ path, id: event.id, type: event.type, data: event.data })}\n`);
  await sleep(20 * Math.random());
  if (chance < 0.1) throw new Error("It failed after everything was done.");
};

const names = ["all", "created"];
// A process of a release that lacks one of the handlers.
if (ONLY !== "created") service.on("*", { name: "all", concurrency: 20 }, handle("/all"));
service.on("thing.created", { name: "created", concurrency: 20 }, handle("/created"));
await service.start();

const serve = nodeHandler(service);
const server = createServer(async (request, response) => {
  if (request.url !== "/tasks") return serve(request, response);
  const counts = await Promise.all(names.map(async (name) => [name, await service.subscribers.counts(name)]));
  response.end(JSON.stringify(Object.fromEntries(counts)));
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
