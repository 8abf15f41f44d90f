import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { fastifyUsers } from "../floor/fastify.js";
import { openSqlite } from "../floor/sqliteDatabase.js";
import { Users } from "../floor/users.js";
import { reportTo } from "../tools/control.js";
import { seedUsers } from "../tools/seed.js";
import { readServerOptions } from "../tools/serverOptions.js";
import { JsonEachUsers } from "./jsonEachUsers.js";

/** The hand-written server on Fastify and SQLite that inserts many users by one statement. */
const store = new JsonEachUsers(await openSqlite(readServerOptions().location));
store.seed(seedUsers());
const app = fastifyUsers(new Users(store, randomBytes(32)));
await app.listen({ port: 0, host: "127.0.0.1" });
reportTo((app.server.address() as AddressInfo).port);
