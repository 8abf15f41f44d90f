import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { StartHost } from "./host.js";
import { createReceiver } from "./receive.js";

const hosts: Record<string, () => Promise<{ start: StartHost }>> = {
  express: () => import("./express.js"),
  fastify: () => import("./fastify.js"),
  hono: () => import("./hono.js"),
  koa: () => import("./koa.js"),
};

const { values } = parseArgs({ options: { host: { type: "string", default: "express" } } });
const load = Object.hasOwn(hosts, values.host) ? hosts[values.host] : undefined;
if (load === undefined) throw new Error(`--host must be one of ${Object.keys(hosts).join(", ")}; got "${values.host}".`);

const { WEBHOOK_SECRET = "", PORT = "8443", TLS_CERT, TLS_KEY } = process.env;
const secrets = WEBHOOK_SECRET.split(",").filter((secret) => secret !== "");
if (secrets.length === 0) throw new Error("WEBHOOK_SECRET must be the secret that the registration answered, or two with a comma between them.");
const certificate = TLS_CERT && TLS_KEY ? { cert: readFileSync(TLS_CERT, "utf8"), key: readFileSync(TLS_KEY, "utf8") } : undefined;

const receive = createReceiver({ secrets, onEvent: ({ id, type, data }) => console.log(type, id, JSON.stringify(data)) });
const port = await (await load()).start(receive, { port: Number(PORT), certificate });
console.log(`webhook receiver on ${values.host} at ${certificate ? "https" : "http"}://localhost:${port}/hook`);
