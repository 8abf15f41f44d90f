import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { diskBlobs } from "restwright/disk";
import { nodeHandler } from "restwright/node";
import { sqliteStorage } from "restwright/sqlite";
import { parseMultipart } from "restwright/uploads";
import { fullService } from "../../tools/fullService.js";

/** A server that takes files in every way: uploads of the service, and forms of one file at `/form`, which it drops again. Prints its port. */
const { SQLITE_PATH = "", BLOBS_PATH = "" } = process.env;

const blobs = diskBlobs({ path: BLOBS_PATH });
const service = fullService({
  resources: [],
  storage: sqliteStorage({ path: SQLITE_PATH }),
  blobs,
  uploads: { types: "any", maxBytes: Number.MAX_SAFE_INTEGER },
});
await service.start();
const answer = nodeHandler(service);
const server = createServer(async (request, response) => {
  if (request.url !== "/form") return answer(request, response);
  const size = await takeForm(request);
  return response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ size }));
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

/** @returns the size of the file as the store has it */
async function takeForm(request: IncomingMessage): Promise<number> {
  const writer = await blobs.open("form");
  for await (const part of parseMultipart(request, { requestBytes: Number.MAX_SAFE_INTEGER, fileBytes: Number.MAX_SAFE_INTEGER })) {
    if (part.kind === "file") for await (const chunk of part.bytes) await writer.write(chunk);
  }
  const { size } = await writer.commit();
  await blobs.delete("form");
  return size;
}
