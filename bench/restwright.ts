import { createService, type Storage } from "restwright";
import { users } from "../examples/shop/resources.js";
import { reportTo } from "./control.js";
import { hostOf } from "./hostOf.js";
import { seedUsers } from "./seed.js";
import { readServerOptions, type ServerOptions } from "./serverOptions.js";

const batch = 500;

async function openStorage({ store, location }: ServerOptions): Promise<Storage> {
  switch (store) {
    case "memory":
      return (await import("restwright/memory")).memoryStorage();
    case "sqlite":
      return (await import("restwright/sqlite")).sqliteStorage({ path: location });
    case "postgres":
      return (await import("restwright/postgres")).postgresStorage({ connectionString: location });
  }
}

async function seed(storage: Storage): Promise<void> {
  const collection = storage.collection(users.model);
  const rows = seedUsers().map(({ version, ...user }) => ({ ...user, _version: version, _updatedAt: user.updatedAt }));
  for (let start = 0; start < rows.length; start += batch) {
    const outcomes = await collection.insertMany?.(rows.slice(start, start + batch), { returning: "none" });
    if (!outcomes?.every(({ ok }) => ok)) throw new Error(`Rows from ${start} on were not inserted.`);
  }
}

const options = readServerOptions();
const storage = await openStorage(options);
const service = createService({ resources: [users], storage, notFound: "problem" });
await service.start();
await seed(storage);
const { start } = await hostOf(options.host);
const { port } = await start(service, { port: 0, address: "127.0.0.1", basePath: "" });
reportTo(port);
