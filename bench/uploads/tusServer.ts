import type { RequestListener } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { reportTo } from "../tools/control.js";
import { openStorage } from "../tools/openStorage.js";
import { oneOf } from "../tools/serverOptions.js";
import { listen } from "./forms/listen.js";
import { placeNames, tusNames } from "./tusNames.js";

const { values } = parseArgs({
  options: {
    name: { type: "string", default: "" },
    place: { type: "string", default: placeNames.disk },
    folder: { type: "string", default: "" },
  },
});
const name = oneOf("name", values.name, Object.values(tusNames));
reportTo(await listen(name === tusNames.peer ? await peer() : await restwright()));

async function restwright(): Promise<RequestListener> {
  const { createService } = await import("restwright");
  const { uploads } = await import("restwright/uploads");
  const { nodeHandler } = await import("restwright/node");
  const durability = name === tusNames.restwrightFile ? "file" : "piece";
  const inMemory = oneOf("place", values.place, Object.values(placeNames)) === placeNames.memory;
  const blobs = inMemory ? (await import("restwright/memory")).memoryBlobs() : (await import("restwright/disk")).diskBlobs({ path: values.folder });
  const service = createService({
    resources: [],
    storage: await openStorage({ store: inMemory ? "memory" : "sqlite", location: join(values.folder, "..", "uploads.db") }),
    use: [uploads({ blobs, types: "any", maxBytes: Number.MAX_SAFE_INTEGER, durability })],
  });
  await service.start();
  return nodeHandler(service);
}

async function peer(): Promise<RequestListener> {
  const { Server } = await import("@tus/server");
  const { FileStore } = await import("@tus/file-store");
  const server = new Server({ path: "/uploads", datastore: new FileStore({ directory: values.folder }) });
  return (request, response) => void server.handle(request, response);
}
