import { createService } from "restwright";
import { orders, users } from "../examples/shop/resources.js";
import { reportTo } from "./control.js";
import { hostOf } from "./hostOf.js";
import { insertRows } from "./insertRows.js";
import { openStorage } from "./openStorage.js";
import { seedUsers } from "./seed.js";
import { readServerOptions } from "./serverOptions.js";

const options = readServerOptions();
const storage = await openStorage(options);
const service = createService({ resources: [users, orders], storage, notFound: "problem" });
await service.start();
const rows = seedUsers().map(({ version, ...user }) => ({ ...user, _version: version, _updatedAt: user.updatedAt }));
await insertRows(storage.collection(users.model), rows);
const { start } = await hostOf(options.host);
const { port } = await start(service, { port: 0, address: "127.0.0.1", basePath: "" });
reportTo(port);
