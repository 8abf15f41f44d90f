import { parseArgs } from "node:util";
import { pino } from "pino";
import { createShop } from "./api.js";
import type { StartHost } from "./host.js";
import { readSettings } from "./settings.js";
import { stopOnSignals } from "./stopOnSignals.js";

const hosts: Record<string, () => Promise<{ start: StartHost }>> = {
  express: () => import("./express.js"),
  fastify: () => import("./fastify.js"),
  hono: () => import("./hono.js"),
  koa: () => import("./koa.js"),
};

try {
  const { values } = parseArgs({ options: { host: { type: "string", default: "fastify" } } });
  const load = Object.hasOwn(hosts, values.host) ? hosts[values.host] : undefined;
  if (load === undefined) throw new Error(`--host must be one of ${Object.keys(hosts).join(", ")}; got "${values.host}".`);
  const settings = readSettings(process.env);
  const service = createShop(settings, pino({ level: settings.logLevel }, pino.destination(2)));
  await service.start();
  const server = await (await load()).start(service, settings);
  console.log(`restwright shop on ${values.host} at http://${settings.address}:${server.port}`);

  stopOnSignals(() => server.close(() => service.close()));
} catch (error) {
  console.error(`restwright shop cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
