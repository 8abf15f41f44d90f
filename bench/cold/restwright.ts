import { createService } from "restwright";
import { memoryStorage } from "restwright/memory";
import { hostOf } from "../tools/hostOf.js";
import { seedUser } from "../tools/seed.js";
import type { Host } from "../tools/serverOptions.js";
import { orders, users } from "../tools/shopCollections.js";

/** A server with one collection and one row in it; the answer is its port. */
export async function startRestwright(host: Host): Promise<number> {
  const storage = memoryStorage();
  const service = createService({ resources: [users, orders], storage });
  const { version, ...row } = seedUser(0);
  await storage.collection(users.model).insert({ ...row, _version: version, _updatedAt: row.updatedAt }, {});
  const { start } = await hostOf(host);
  const { port } = await start(service, { port: 0, address: "127.0.0.1", basePath: "" });
  return port;
}
