// @slow

import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { diskBlobs } from "restwright/disk";
import { nodeHandler } from "restwright/node";
import { expect, onTestFinished, test } from "vitest";
import { RequestHeaders } from "../../../src/ground/http/headers/headers.js";
import type { BlobStore } from "../../../src/ground/storage/files/blobs.js";
import { answerBlob } from "../../../src/parts/blobs/answerBlob.js";
import { onlyIf } from "../../tools/engines.js";
import { temporaryFolder } from "../../tools/temporary.js";

const size = 20_000_000;

/** A server of one blob on disk, at its origin. */
async function serve(change: (store: BlobStore) => Partial<BlobStore> = () => ({})) {
  const path = temporaryFolder();
  const store = diskBlobs({ path });
  const writer = await store.open("film", { contentType: "video/mp4" });
  await writer.write(Buffer.alloc(size, "x"));
  await writer.commit();
  const handle = (request: { readonly method: string; readonly headers: readonly string[] }) =>
    answerBlob({ ...store, ...change(store) }, "film", {
      method: request.method,
      nowMs: Date.now(),
      headers: new RequestHeaders(request.headers),
      disposition: "inline",
    });
  const server = createServer(nodeHandler({ handle })).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const openFiles = () => readdirSync("/proc/self/fd").filter((name) => linkOf(name).startsWith(path)).length;
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, openFiles };
}

function linkOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

test("a blob is sent whole, in part, and not at all", async () => {
  const { origin } = await serve();
  const whole = await fetch(origin);
  expect([whole.status, whole.headers.get("content-length"), (await whole.arrayBuffer()).byteLength]).toEqual([200, String(size), size]);
  const part = await fetch(origin, { headers: { range: "bytes=-5" } });
  expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, `bytes 19999995-19999999/${size}`, "xxxxx"]);
  const head = await fetch(origin, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, String(size), ""]);
  const unchanged = await fetch(origin, { headers: { "if-none-match": whole.headers.get("etag") ?? "" } });
  expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
});

test("where the disk fails on the way the connection is broken off", async () => {
  const { origin } = await serve((store) => ({
    read: async (key) => {
      const read = (await store.read(key)) ?? [];
      return (async function* () {
        for await (const chunk of read) {
          yield chunk;
          throw new Error("The disk failed.");
        }
      })();
    },
  }));
  const response = await fetch(origin);
  expect(response.status).toBe(200);
  await expect(response.arrayBuffer()).rejects.toThrow();
});

test("a client that goes away leaves no file open", onlyIf(process.platform === "linux", "only on Linux"), async () => {
  const { origin, openFiles } = await serve();
  for (let round = 0; round < 5; round++) {
    const request = get(origin);
    const [response] = await once(request, "response");
    await once(response, "readable");
    response.read(1);
    expect(openFiles()).toBe(1);
    request.destroy();
    for (let turn = 0; turn < 200 && openFiles() > 0; turn++) await sleep(5);
    expect(openFiles()).toBe(0);
  }
});
