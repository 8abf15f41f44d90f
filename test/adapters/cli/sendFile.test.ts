// @slow

import { closeSync, ftruncateSync, openSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { bearer } from "restwright/auth";
import { expect, test } from "vitest";
import { sendFile } from "../../../adapters/cli/import/sendFile.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { serve, userService } from "./stage.js";

const mebibyte = 1_048_576;

/** A file of so many bytes that takes no room on the disk. */
function sparseFile(bytes: number): string {
  const path = join(temporaryFolder(), "large");
  const file = openSync(path, "w");
  ftruncateSync(file, bytes);
  closeSync(file);
  return path;
}

const noSignal = new AbortController().signal;

test("A file of any size goes out in flat memory, with its length", async () => {
  let received = 0;
  const server = await serve((incoming, outgoing) => {
    incoming.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    incoming.on("end", () => outgoing.end(incoming.headers["content-length"]));
  });
  const bytes = 512 * mebibyte;
  let highest = 0;
  const before = process.memoryUsage().rss;
  let last = 0;
  const sent = (done: number) => {
    last = done;
    highest = Math.max(highest, process.memoryUsage.rss());
  };
  const answer = await sendFile(new URL(server.origin), { path: sparseFile(bytes), bytes }, { headers: {}, signal: noSignal, sent });
  expect([answer.status, answer.text, received, last]).toEqual([200, String(bytes), bytes, bytes]);
  expect(highest - before).toBeLessThan(160 * mebibyte);
});

test("An answer that comes before the end of the file is heard, and the rest is not sent", async () => {
  const server = await serve(userService({ auth: [bearer(() => undefined)] }));
  let last = 0;
  const sent = (done: number) => {
    last = done;
  };
  const bytes = 512 * mebibyte;
  const headers = { "content-type": "text/csv" };
  const answer = await sendFile(new URL(`${server.origin}/imports`), { path: sparseFile(bytes), bytes }, { headers, signal: noSignal, sent });
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([401, "UNAUTHENTICATED"]);
  expect(last).toBeLessThan(bytes);
});

test("The answer of a server that reads nothing of the file is heard", async () => {
  const server = await serve((_incoming, outgoing) => void outgoing.writeHead(413).end("too large"));
  const bytes = 16 * mebibyte;
  const path = sparseFile(bytes);
  for (let n = 0; n < 10; n++) {
    const answer = await sendFile(new URL(server.origin), { path, bytes }, { headers: {}, signal: noSignal, sent: () => {} });
    expect([answer.status, answer.text]).toEqual([413, "too large"]);
  }
});

test("A file that becomes shorter on its way is not sent in part", async () => {
  const path = sparseFile(64 * mebibyte);
  const server = await serve((incoming) => void incoming.resume());
  const sending = sendFile(
    new URL(server.origin),
    { path, bytes: 64 * mebibyte },
    { headers: {}, signal: noSignal, sent: () => truncateSync(path, mebibyte) },
  );
  await expect(sending).rejects.toThrow("became shorter while it was sent");
});

test("A server that closes the connection without an answer is worth another try", async () => {
  const server = await serve((incoming) => void incoming.socket.destroy());
  const sending = sendFile(new URL(server.origin), { path: sparseFile(8), bytes: 8 }, { headers: {}, signal: noSignal, sent: () => {} });
  await expect(sending).rejects.toMatchObject({ name: "TransientError" });
});
