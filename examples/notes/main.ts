import { randomBytes } from "node:crypto";
import { listening } from "../shop/listening.js";
import { stopOnSignals } from "../shop/stopOnSignals.js";
import { createApp } from "./app.js";
import { createNotes } from "./service.js";

const secret = randomBytes(32).toString("hex");
const service = await createNotes(secret);
const app = await createApp(service, secret);
await app.listen({ port: Number(process.env["PORT"] ?? 3000), host: "127.0.0.1" });
const server = await listening(app.server);
console.log(`notes page at http://127.0.0.1:${server.port}`);
stopOnSignals(() => server.close(() => service.close()));
