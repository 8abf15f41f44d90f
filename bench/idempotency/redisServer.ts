import { parseArgs } from "node:util";
import { createService } from "restwright";
import { redisIdempotency } from "restwright/redis";
import { connectRedis } from "../../test/adapters/stores/redis/redisServer.js";
import { reportTo } from "../tools/control.js";
import { hostOf } from "../tools/hostOf.js";
import { insertRows } from "../tools/insertRows.js";
import { openStorage } from "../tools/openStorage.js";
import { seedUsers } from "../tools/seed.js";
import { orders, users } from "../tools/shopCollections.js";

/** The server of `restwright.ts` on Fastify and PostgreSQL, with its records of operations in Redis. */
const { values } = parseArgs({
  options: { store: { type: "string" }, location: { type: "string", default: "" }, prefix: { type: "string", default: "" } },
});
const storage = await openStorage({ store: "postgres", location: values.location });
const store = redisIdempotency(connectRedis(), { prefix: values.prefix });
const service = createService({ resources: [users, orders], storage, notFound: "problem", idempotency: { store } });
await service.start();
const rows = seedUsers().map(({ version, ...user }) => ({ ...user, _version: version, _updatedAt: user.updatedAt }));
await insertRows(storage.collection(users.model), rows);
const { start } = await hostOf("fastify");
const { port } = await start(service, { port: 0, address: "127.0.0.1", basePath: "" });
reportTo(port);
