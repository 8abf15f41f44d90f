import type { BlobStore } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { keysOf } from "../../adapters/stores/blobs/blobContents.js";
import { clientOf, requestOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

const stream = { "content-type": "application/offset+octet-stream" };

/** Two pieces, and a store that calls `onRead` before each of them is read. */
async function open(onRead: () => void) {
  const kept = memoryBlobs();
  const blobs: BlobStore = {
    ...kept,
    async read(...given) {
      onRead();
      return kept.read(...given);
    },
  };
  const storage = memoryStorage();
  const faults: unknown[] = [];
  const service = fullService({ resources: [], storage, blobs, uploads: { types: "any" }, onError: (error) => faults.push(error) });
  const send = clientOf(service);
  const addresses: string[] = [];
  for (const body of ["hello ", "world"]) {
    const headers = { ...stream, "upload-length": String(body.length), "upload-concat": "partial" };
    addresses.push(String((await send({ method: "POST", target: "/uploads", headers, body })).headers["location"]));
  }
  const joining = { method: "POST", target: "/uploads", headers: { "upload-concat": `final;${addresses.join(" ")}` } };
  return { service, send, joining, faults, use: async () => storage.uploads?.use(undefined, "address "), keys: () => keysOf(kept) };
}

test("a concatenation whose client goes away leaves no file, and can be repeated", async () => {
  const going = new AbortController();
  let isGoing = true;
  const { service, send, joining, faults, use, keys } = await open(() => {
    if (isGoing) going.abort();
  });
  const [before, pieces] = [await use(), await keys()];
  await Promise.resolve(service.handle({ ...requestOf(joining), signal: going.signal })).catch(() => {});
  expect(await keys()).toEqual(pieces);
  expect(await use()).toEqual(before);
  expect(faults).toEqual([]);
  isGoing = false;
  expect((await send(joining)).status).toBe(201);
});
