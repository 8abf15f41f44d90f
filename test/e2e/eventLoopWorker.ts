import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { defineResource } from "restwright";
import { diskBlobs } from "restwright/disk";
import { nodeHandler } from "restwright/node";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { fullService } from "../tools/fullService.js";
import { watchEventLoop } from "./loopWatch.js";

/** A server whose event loop is watched: `GET /turn` tells its longest turn. Prints its port. */
const { KIND = "piece", FOLDER = "" } = process.env;

const answer = await listenerOf(KIND);
const longestTurn = watchEventLoop();
const server = createServer((request, response) => {
  if (request.url === "/turn") response.end(JSON.stringify(longestTurn()));
  else answer(request, response);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

async function listenerOf(kind: string): Promise<RequestListener> {
  await mkdir(FOLDER, { recursive: true });
  if (kind === "bare") return bare();
  if (kind === "peer") return peer();
  return restwright(kind === "file" ? "file" : "piece");
}

async function restwright(durability: "piece" | "file"): Promise<RequestListener> {
  const things = defineResource("things", {
    schema: z.object({ id: z.int(), name: z.string(), item: z.int().min(0) }),
    generated: { id: "increment" },
  });
  const limits = { fileBytes: Number.MAX_SAFE_INTEGER, requestBytes: Number.MAX_SAFE_INTEGER };
  const service = fullService({
    resources: [things],
    storage: sqliteStorage({ path: join(FOLDER, "records.db") }),
    blobs: diskBlobs({ path: join(FOLDER, "blobs") }),
    uploads: { types: "any", maxBytes: Number.MAX_SAFE_INTEGER, durability, forms: { forms: { types: "any", files: ["file"], limits } } },
  });
  await service.start();
  return nodeHandler(service);
}

async function peer(): Promise<RequestListener> {
  const { Server } = await import("@tus/server");
  const { FileStore } = await import("@tus/file-store");
  const tus = new Server({ path: "/uploads", datastore: new FileStore({ directory: FOLDER }) });
  return (request, response) => void tus.handle(request, response);
}

/** Writes each body to a file, and does nothing else. */
function bare(): RequestListener {
  let files = 0;
  const receive: RequestListener = async (request, response) => {
    files += 1;
    await pipeline(request, createWriteStream(join(FOLDER, String(files))));
    const offset = Number(request.headers["upload-offset"] ?? 0) + Number(request.headers["content-length"] ?? 0);
    response.writeHead(request.method === "POST" ? 201 : 204, { location: "/uploads/1", "upload-offset": offset }).end();
  };
  return (request, response) => void receive(request, response);
}
