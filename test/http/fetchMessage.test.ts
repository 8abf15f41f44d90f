import type { UnderlyingSource } from "node:stream/web";
import { expect, test } from "vitest";
import { fetchBody } from "../../src/http/fetchMessage.js";

type Source = UnderlyingSource<Uint8Array>;

function chunksOf(source: Source): AsyncIterator<Uint8Array> {
  const init: RequestInit & { readonly duplex: "half" } = { method: "POST", body: new ReadableStream(source), duplex: "half" };
  const body = fetchBody(new Request("http://a/", init));
  if (body.kind !== "stream") throw new Error("The request has no stream.");
  return body.stream[Symbol.asyncIterator]();
}

/** A stream that always has its next chunk. */
function ready(count: number, length: number): Source {
  let made = 0;
  return {
    pull(controller) {
      if (made++ < count) controller.enqueue(new Uint8Array(length).fill(made));
      else controller.close();
    },
  };
}

/** Reads all chunks. @returns the turns of the event loop meanwhile */
async function readAll(chunks: AsyncIterator<Uint8Array>) {
  let turns = 0;
  let isReading = true;
  const count = () => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const all: Uint8Array[] = [];
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) all.push(next.value);
  isReading = false;
  return { turns, all };
}

test("a stream of single bytes costs its reader few chunks, and does not hold the event loop", async () => {
  const { turns, all } = await readAll(chunksOf(ready(200_000, 1)));
  expect(turns).toBeGreaterThan(5);
  expect(all.length).toBeLessThan(10_000);
  expect(Buffer.concat(all)).toEqual(Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index + 1) % 256)));
});

test("a stream of larger chunks is read chunk by chunk, and does not hold the event loop", async () => {
  const { turns, all } = await readAll(chunksOf(ready(100_000, 300)));
  expect(turns).toBeGreaterThan(5);
  expect(all.length).toBe(100_000);
});

test("single bytes are passed on although the next one never arrives, and an early end cancels the stream", async () => {
  let push: (byte: number) => void = () => undefined;
  let isCancelled = false;
  const chunks = chunksOf({
    start(controller) {
      push = (byte) => controller.enqueue(Uint8Array.of(byte));
    },
    cancel() {
      isCancelled = true;
    },
  });
  let seen = 0;
  for (let byte = 0; byte < 100; byte++) {
    push(byte);
    if (byte % 3 === 0) push(byte);
    while (seen <= byte + Math.floor(byte / 3)) seen += (await chunks.next()).value.length;
  }
  expect(seen).toBe(134);
  await chunks.return?.();
  expect(isCancelled).toBe(true);
});

test("single bytes that arrived before the stream failed are passed on before the error", async () => {
  let made = 0;
  const chunks = chunksOf({
    pull(controller) {
      if (made++ < 100) controller.enqueue(Uint8Array.of(made));
      else controller.error(new Error("The client is gone."));
    },
  });
  let seen = 0;
  const read = async () => {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) seen += next.value.length;
  };
  await expect(read()).rejects.toThrow("The client is gone.");
  expect(seen).toBe(100);
});
