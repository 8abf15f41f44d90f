import { belongsTo, defineResource, hasMany, type Service, type Storage } from "restwright";
import { diskBlobs } from "restwright/disk";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { undiciTransport } from "restwright/undici";
import type { Transport } from "restwright/webhooks";
import { z } from "zod";
import { fullService } from "../tools/fullService.js";

const manyMembers = Array.from({ length: 900 }, (_, index) => `m${index}`);

/** Small rows with text to search. */
const users = defineResource("users", {
  schema: z.object({
    id: z.int(),
    name: z.string(),
    email: z.email().optional(),
    bio: z.string().default(""),
    age: z.int().optional(),
    tags: z.array(z.string()).default([]),
  }),
  generated: { id: "increment" },
  search: ["name", "bio"],
  relations: { orders: hasMany("orders", "userId") },
});

/** Rows whose writes are told to webhooks. */
const orders = defineResource("orders", {
  schema: z.object({ id: z.int(), userId: z.int().nullable().default(null), total: z.number(), note: z.string().default("") }),
  generated: { id: "increment" },
  relations: { user: belongsTo("users", "userId") },
  events: { "order.created": { on: "create", data: ({ id, total, note }) => ({ id, total, note }) } },
});

/** Rows of 900 members that the schema names. */
const wides = defineResource("wides", {
  schema: z.object({ id: z.int(), ...Object.fromEntries(manyMembers.map((name) => [name, z.string().optional()])) }),
  generated: { id: "increment" },
});

/** Rows of any JSON. */
const documents = defineResource("documents", {
  schema: z.object({ id: z.int(), text: z.string().default(""), data: z.json().default(null), record: z.record(z.string(), z.json()).default({}) }),
  generated: { id: "increment" },
});

/** A network whose receivers take everything. */
function farTransport(): Transport {
  const { network, maxAttemptMs, close } = undiciTransport();
  const answer = { status: 204, latencyMs: 1, bodyHead: new Uint8Array(0), truncated: false };
  return { network, maxAttemptMs, close, send: async () => answer };
}

/** The service of an attacked process, on the store that its environment names. */
export async function attackedService(environment: NodeJS.ProcessEnv): Promise<Service> {
  const { SQLITE_PATH, BLOBS_PATH = "" } = environment;
  const storage: Storage = SQLITE_PATH === undefined ? memoryStorage() : sqliteStorage({ path: SQLITE_PATH });
  return fullService({
    resources: [users, orders, wides, documents],
    storage,
    blobs: diskBlobs({ path: BLOBS_PATH }),
    webhooks: { transport: farTransport() },
    uploads: { types: "any", forms: { forms: { types: "any" } } },
    onError: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
  });
}
