import { createServer } from "node:http";
import { ConsoleSpanExporter } from "@opentelemetry/sdk-trace-base";
import { nodeHandler } from "restwright/node";
import { createNotes, register } from "./notes.js";

register(new ConsoleSpanExporter());

createServer(nodeHandler(createNotes())).listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log("POST /notes, or POST /notes/batch with Prefer: respond-async, on http://127.0.0.1:3000 prints spans");
});
