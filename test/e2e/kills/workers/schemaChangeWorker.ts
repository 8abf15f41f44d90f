import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createService, defineResource } from "restwright";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";

/** A server of one of two releases on SQLite or PostgreSQL, which go on side by side. Prints its port. */
const { SQLITE_PATH, DATABASE_URL, RELEASE } = process.env;

const earlier = defineResource("items", {
  schema: z.object({ id: z.int(), name: z.string(), price: z.int() }),
  generated: { id: "increment" },
  unique: ["name"],
  index: ["name"],
});

const later = defineResource("items", {
  schema: z.object({
    id: z.int(),
    title: z.string(),
    price: z.int(),
    status: z.string().default("open"),
    code: z.string(),
    owner: z.string(),
  }),
  generated: { id: "increment" },
  unique: ["title", "code"],
  index: ["title", ["status", "code"]],
  renamedFrom: { title: "name" },
  backfill: { code: ({ id }) => `c-${id}` },
});

const service = createService({
  resources: [RELEASE === "earlier" ? earlier : later],
  storage: SQLITE_PATH === undefined ? postgresStorage({ connectionString: DATABASE_URL ?? "" }) : sqliteStorage({ path: SQLITE_PATH }),
  logger: false,
});
await service.start();

const server = createServer(nodeHandler(service));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.on("SIGTERM", async () => {
  server.close();
  await service.close();
  process.exit(0);
});
