import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { reportTo } from "../tools/control.js";
import { oneOf, stores } from "../tools/serverOptions.js";
import { loadFeathers } from "./feathers.js";
import { feathersStore } from "./feathersStore.js";
import { feathersUsers } from "./feathersUsers.js";

const { values } = parseArgs({
  options: { store: { type: "string", default: "memory" }, location: { type: "string", default: "" }, folder: { type: "string", default: "" } },
});
const store = oneOf("store", values.store, stores);
const modules = loadFeathers(values.folder);
const users = await feathersStore(modules, { store, location: values.location });
const server = await feathersUsers(modules, users, store).listen(0, "127.0.0.1");
if (!server.listening) await once(server, "listening");
reportTo((server.address() as AddressInfo).port);
