import { listening } from "../shop/listening.js";
import { stopOnSignals } from "../shop/stopOnSignals.js";
import { createApp } from "./app.js";

const connectionString = process.env["DATABASE_URL"];
if (connectionString === undefined) throw new Error("DATABASE_URL names the database with the tables of tables.sql.");
const { app, service, close } = createApp(connectionString);
await service.start();
const server = await listening(app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1"));
console.log(`invoices at http://127.0.0.1:${server.port}`);
stopOnSignals(() => server.close(close));
