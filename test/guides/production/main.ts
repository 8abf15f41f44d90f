import { sqliteStorage } from "restwright/sqlite";
import { startServer } from "./server.js";

// The program of docs/guides/production.md, on a file: a test stops it with a signal.
const { server, stop } = await startServer(sqliteStorage({ path: process.env["DATABASE_FILE"] ?? ":memory:" }), 0);
for (const signal of ["SIGTERM", "SIGINT"]) {
  process.once(signal, () => {
    setTimeout(() => process.exit(1), 20_000).unref();
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
process.stdout.write(`${JSON.stringify(server.address())}\n`);
