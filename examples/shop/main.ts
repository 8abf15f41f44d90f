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
  console.error(`restwright shop cannot start: ${reason(error)}`);
  process.exit(1);
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, address, port = 0 } = error as Error & { readonly code?: string; readonly address?: string; readonly port?: number };
  if (code !== "EADDRINUSE") return error.message;
  return `another program listens on ${address}:${port}. Stop it, or choose another port: PORT=${port === 65_535 ? port - 1 : port + 1} npm start`;
}
