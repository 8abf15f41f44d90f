import { writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { reportTo } from "../tools/control.js";
import { seedUsers } from "../tools/seed.js";
import { readPeerPlace } from "./listening.js";

/** What is used of json-server. */
interface JsonServerModule {
  create(): { use(middleware: unknown): void; listen(port: number, host: string, isListening: () => void): Server };
  defaults(options: { readonly logger: boolean }): unknown;
  router(path: string): unknown;
}

const { folder, location } = readPeerPlace();
const { create, defaults, router }: JsonServerModule = createRequire(join(folder, "package.json"))("json-server");
writeFileSync(location, JSON.stringify({ users: seedUsers().map((user, index) => ({ id: index + 1, ...user })) }));
const app = create();
app.use(defaults({ logger: false }));
app.use(router(location));
const server = app.listen(0, "127.0.0.1", () => reportTo((server.address() as AddressInfo).port));
