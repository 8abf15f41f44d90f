import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { reportTo } from "../tools/control.js";
import { seedUsers } from "../tools/seed.js";
import { type Host, readServerOptions, type ServerOptions } from "../tools/serverOptions.js";
import type { UserStore } from "./user.js";
import { Users } from "./users.js";

async function openStore({ store, location }: ServerOptions): Promise<UserStore> {
  switch (store) {
    case "memory":
      return new (await import("./memory.js")).MemoryUsers();
    case "sqlite":
      return new (await import("./sqlite.js")).SqliteUsers(await (await import("./sqliteDatabase.js")).openSqlite(location));
    case "postgres":
      return new (await import("./postgres.js")).PostgresUsers(location);
  }
}

async function listen(host: Host, users: Users): Promise<Server> {
  const at = { port: 0, host: "127.0.0.1" };
  switch (host) {
    case "fastify": {
      const app = (await import("./fastify.js")).fastifyUsers(users);
      await app.listen(at);
      return app.server;
    }
    case "express":
      return (await import("./express.js")).expressUsers(users).listen(at.port, at.host);
    case "koa":
      return (await import("./koa.js")).koaUsers(users).listen(at.port, at.host);
    case "hono": {
      const { serve } = await import("@hono/node-server");
      return serve({ fetch: (await import("./hono.js")).honoUsers(users).fetch, port: at.port, hostname: at.host }) as Server;
    }
  }
}

const options = readServerOptions();
const store = await openStore(options);
await store.seed(seedUsers());
const server = await listen(options.host, new Users(store, randomBytes(32)));
if (!server.listening) await once(server, "listening");
reportTo((server.address() as AddressInfo).port);
