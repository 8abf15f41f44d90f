import type { ProjectPlan } from "../choices.js";
import type { Types } from "./typed.js";

/** The program of a project: it starts, serves, and stops. */
export function mainFile({ host }: ProjectPlan, types: Types): string {
  const { server, stop } = host === "fastify" ? fastify : nodeServer;
  return `import { pino } from "pino";
import { createApi } from "./api.js";
import { startServer } from "./server.js";
import { openStorage } from "./storage.js";

const port = Number(process.env.PORT || 3000);
const host = process.env.HOST || "127.0.0.1";

const logger = pino({ level: process.env.LOG_LEVEL || "info" });
const api = createApi({ storage: openStorage(), logger });
// Makes the tables, or adds what they lack.
await api.start();
const ${server} = await startServer(api, { port, host });
logger.info(\`The API is at http://\${host}:\${port}/v1\`);

/** Takes no new requests, ends the running ones, then closes the storage. */
async function stop() {
${stop}}

// npm passes on the Ctrl-C that the terminal has sent to this process as well,
// so that only the first signal counts.
let isStopping = false;
for (const signal of ["SIGTERM", "SIGINT"]${types(" as const")}) {
  process.on(signal, () => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, "Stopping.");
    setTimeout(() => process.exit(1), 15_000).unref();
    stop().catch((error${types(": unknown")}) => {
      logger.fatal(error);
      process.exit(1);
    });
  });
}
`;
}

interface Ending {
  /** The name of what `startServer` returns. */
  readonly server: string;
  /** The statements that end it. */
  readonly stop: string;
}

const nodeServer: Ending = {
  server: "server",
  stop: `  server.close();
  await api.close();
  // The last answers have half a second to reach their clients.
  setTimeout(() => server.closeAllConnections(), 500).unref();
`,
};

const fastify: Ending = {
  server: "app",
  stop: `  await Promise.all([app.close(), api.close()]);
`,
};
