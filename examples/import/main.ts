import { pino } from "pino";
import { createShop } from "../shop/api.js";
import { listening } from "../shop/listening.js";
import { readSettings } from "../shop/settings.js";
import { createApp } from "./app.js";

try {
  const settings = readSettings({ DATA_DIR: ":memory:", LOG_LEVEL: "warn", ...process.env });
  const service = createShop(settings, pino({ level: settings.logLevel }, pino.destination(2)));
  await service.start();
  const app = await createApp(service);
  await app.listen({ port: settings.port, host: settings.address });
  const server = await listening(app.server);
  console.log(`import page at http://${settings.address}:${server.port}`);

  const stop = async () => {
    setTimeout(() => process.exit(1), 15_000).unref();
    await server.close(() => service.close());
    process.exit(0);
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
} catch (error) {
  console.error(`The import page cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
