import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { z } from "zod";
import { complete } from "../../../src/ground/storage/completed/complete.js";
import { fullService } from "../../tools/fullService.js";

/** A server whose lists are large. Prints its port, then its open connections each time that a line arrives; with `--expose-gc` it collects garbage for the line `collect`. */
const pages = defineResource("pages", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const storage = memoryStorage();
const service = fullService({
  resources: [pages],
  storage,
  jobs: { work: false },
  logger: false,
  limits: { answerStallMs: Number(process.env["STALL_MS"]) },
});
await service.start();
const rows = Array.from({ length: 100 }, (_, index) => ({ text: "x".repeat(10_000), _version: `v${index}`, _updatedAt: new Date(0) }));
await complete(storage.collection(pages.model)).insertMany(rows, { tenant: undefined, returning: "none" });
const server = createServer(nodeHandler(service));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.on("data", (line) => {
  if (String(line).startsWith("collect")) globalThis.gc?.();
  server.getConnections((_, count) => process.stdout.write(`${count}\n`));
});
