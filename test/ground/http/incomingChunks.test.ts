import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { IncomingChunks } from "../../../src/ground/http/body/incomingChunks.js";
import { releaseChunk } from "../../../src/ground/http/body/ownChunks.js";
import { eventually } from "../../tools/eventually.js";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A request whose head has arrived, and the socket of its client. */
async function requestOf(head: string): Promise<{ incoming: IncomingMessage; outgoing: ServerResponse; client: Socket }> {
  const server = createServer({ connectionsCheckingInterval: 60_000 });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const arrived = new Promise<[IncomingMessage, ServerResponse]>((resolve) => {
    server.once("request", (incoming, outgoing) => resolve([incoming, outgoing]));
  });
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  client.write(`POST / HTTP/1.1\r\nhost: a\r\n${head}\r\n\r\n`);
  closing.push(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  const [incoming, outgoing] = await arrived;
  return { incoming, outgoing, client };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

const listeners = (incoming: IncomingMessage) => ["data", "end", "error", "close"].map((name) => incoming.listenerCount(name));

test("chunks come in their order and end with the body, and no listener is left", async () => {
  const { incoming, client } = await requestOf("content-length: 6");
  const before = listeners(incoming);
  client.write("abc");
  setTimeout(() => client.write("def"), 20);
  expect(await textOf(new IncomingChunks(incoming))).toBe("abcdef");
  expect(listeners(incoming)).toEqual(before);
});

test("a request that was paused before is read", async () => {
  const { incoming, client } = await requestOf("content-length: 3");
  incoming.pause();
  client.write("abc");
  expect(await textOf(new IncomingChunks(incoming))).toBe("abc");
});

test("nothing is read before the first chunk is requested", async () => {
  const { incoming, client } = await requestOf("content-length: 3");
  const chunks = new IncomingChunks(incoming);
  client.write("abc");
  await eventually(() => expect(incoming.readableLength).toBe(3));
  expect(incoming.readableFlowing).toBe(null);
  expect(await textOf(chunks)).toBe("abc");
});

test("a reader that pauses stops the client, and little waits for it", async () => {
  const size = 64 * 1_048_576;
  const { incoming, client } = await requestOf(`content-length: ${size}`);
  const chunks = new IncomingChunks(incoming);
  client.write(Buffer.alloc(size));
  await chunks.next();
  // The socket may still fill the buffer of the request after it is paused.
  await eventually(async () => {
    expect(incoming.isPaused()).toBe(true);
    const { bytesRead } = incoming.socket;
    await sleep(50);
    expect(incoming.socket.bytesRead).toBe(bytesRead);
  });
  expect(incoming.socket.bytesRead).toBeLessThan(1_048_576);
  let seen = 0;
  for await (const chunk of chunks) seen += chunk.length;
  expect(seen).toBeGreaterThan(size - 65_537);
});

test("a client that sends single bytes costs its reader few chunks, and few of them wait", async () => {
  const count = 20_000;
  const { incoming, client } = await requestOf("transfer-encoding: chunked");
  let emitted = 0;
  const chunks = new IncomingChunks(incoming);
  const first = chunks.next();
  incoming.on("data", () => {
    emitted += 1;
  });
  client.write("1\r\na\r\n".repeat(count));
  await first;
  await eventually(() => expect(incoming.isPaused()).toBe(true));
  expect(emitted).toBeLessThan(1_100);
  client.write("0\r\n\r\n");
  let [seen, bytes] = [1, 1];
  for await (const chunk of chunks) {
    seen += 1;
    bytes += chunk.length;
  }
  expect(bytes).toBe(count);
  expect(seen).toBeLessThan(count / 50);
});

test("chunks that arrived before the connection broke are read before the error, which is thrown once", async () => {
  const { incoming, client } = await requestOf("content-length: 9");
  const chunks = new IncomingChunks(incoming);
  client.write("abc");
  await chunks.next();
  const { bytesRead } = incoming.socket;
  client.write("def");
  await eventually(() => expect(incoming.socket.bytesRead).toBe(bytesRead + 3));
  client.destroy();
  await new Promise((resolve) => incoming.once("close", resolve));
  expect((await chunks.next()).value?.toString()).toBe("def");
  await expect(chunks.next()).rejects.toThrow("aborted");
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
});

test("a request whose connection has ended before is an error", async () => {
  const { incoming, client } = await requestOf("content-length: 9");
  client.destroy();
  await new Promise((resolve) => incoming.once("close", resolve));
  await expect(new IncomingChunks(incoming).next()).rejects.toThrow("aborted");
});

test("an empty body that was read before has no chunks", async () => {
  const { incoming } = await requestOf("content-length: 0");
  await textOf(Readable.from(incoming));
  expect(await textOf(new IncomingChunks(incoming))).toBe("");
});

describe("a body whose bytes are lost is an error and not a shorter body, although its length is unknown,", () => {
  async function requireRefused(read: (incoming: IncomingMessage) => unknown): Promise<void> {
    const { incoming, client } = await requestOf("transfer-encoding: chunked");
    client.write("3\r\nabc\r\n");
    await read(incoming);
    client.write("3\r\ndef\r\n0\r\n\r\n");
    await expect(textOf(new IncomingChunks(incoming, { isOwn: true }))).rejects.toThrow("has read the body before restwright");
  }
  const dataOf = (incoming: IncomingMessage) => new Promise((resolve) => incoming.once("data", resolve));

  test.each<[string, (incoming: IncomingMessage) => unknown]>([
    ["after all of it was read", (incoming) => textOf(new IncomingChunks(incoming, { dropsRest: true })).catch(() => {})],
    ["after a listener had its first chunk", dataOf],
    ["while a listener gets its chunks", (incoming) => dataOf(incoming.on("data", () => {}))],
    ["while another reader iterates over it", (incoming) => incoming[Symbol.asyncIterator]().next()],
    ["as text", (incoming) => incoming.setEncoding("utf8")],
  ])("%s", async (when, read) => {
    if (when.startsWith("after all")) {
      const { incoming, client } = await requestOf("content-length: 3");
      client.write("abc");
      await read(incoming);
      await expect(textOf(new IncomingChunks(incoming))).rejects.toThrow("has read the body before restwright");
    } else await requireRefused(read);
  });
});

test.each([3, 1_000])("a body that becomes text while it is read, in chunks of %d bytes, is the same error", async (length) => {
  const { incoming, client } = await requestOf("transfer-encoding: chunked");
  const piece = `${length.toString(16)}\r\n${"x".repeat(length)}\r\n`;
  client.write(piece);
  const chunks = new IncomingChunks(incoming, { isOwn: true });
  expect((await chunks.next()).value).toHaveLength(length);
  incoming.setEncoding("utf8");
  client.write(`${piece}0\r\n\r\n`);
  await expect(textOf(chunks)).rejects.toThrow("has read the body before restwright");
});

test("a body whose first bytes another reader has put back is read", async () => {
  const { incoming, client } = await requestOf("content-length: 6");
  client.write("abc");
  await new Promise((resolve) => incoming.once("readable", resolve));
  incoming.unshift(incoming.read());
  client.write("def");
  expect(await textOf(new IncomingChunks(incoming))).toBe("abcdef");
});

test("after an early end the request can be answered, and its rest is not read", async () => {
  const { incoming, outgoing, client } = await requestOf("content-length: 9");
  client.write("abc");
  for await (const _ of new IncomingChunks(incoming)) break;
  client.write("def");
  await sleep(20);
  expect([incoming.destroyed, incoming.isPaused()]).toEqual([false, true]);
  const answered = new Promise<Buffer>((resolve) => client.once("data", resolve));
  outgoing.end("ok");
  expect((await answered).toString()).toContain("200 OK");
});

test("after an early end the rest is dropped if that is asked for, also if nothing was read", async () => {
  for (const reads of [true, false]) {
    const { incoming, client } = await requestOf("content-length: 6");
    const ended = new Promise((resolve) => incoming.once("end", resolve));
    const chunks = new IncomingChunks(incoming, { dropsRest: true });
    client.write("abc");
    if (reads) await chunks.next();
    await chunks.return();
    client.write("def");
    await ended;
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  }
});

test("chunks that are requested at once come one after the other", async () => {
  const chunks = new IncomingChunks(Readable.from([Buffer.from("a"), Buffer.from("b")], { objectMode: true }));
  const read = await Promise.all([chunks.next(), chunks.next(), chunks.next()]);
  expect(read.map(({ value }) => value?.toString())).toEqual(["a", "b", undefined]);
});

describe("a chunk that is released", () => {
  const nothing = new Uint8Array(0);
  /** Small chunks are not worth it. */
  const text = "abc".repeat(1_000);

  async function releasedChunk(isOwn: boolean, listen: (incoming: IncomingMessage) => void = () => undefined): Promise<Uint8Array> {
    const { incoming, client } = await requestOf(`content-length: ${text.length}`);
    listen(incoming);
    const chunks = new IncomingChunks(incoming, { isOwn });
    client.write(text);
    const { value } = await chunks.next();
    if (value === undefined) throw new Error("There is no chunk.");
    expect(Buffer.from(value).toString()).toBe(text);
    releaseChunk(value);
    return value;
  }

  test("gives its memory back", async () => {
    expect((await releasedChunk(true)).length).toBe(0);
  });

  test("keeps its bytes if its reader did not ask to own it", async () => {
    expect(Buffer.from(await releasedChunk(false)).toString()).toBe(text);
  });

  test("keeps its bytes if another listener of the request has it as well", async () => {
    const seen: Uint8Array[] = [];
    await releasedChunk(true, (incoming) => incoming.on("data", (chunk: Uint8Array) => seen.push(chunk)));
    expect(Buffer.concat(seen).toString()).toBe(text);
  });

  test.each<[string, (incoming: IncomingMessage, seen: Uint8Array[]) => unknown]>([
    ["had it and is gone", (incoming, seen) => incoming.once("data", (chunk) => seen.push(chunk))],
    ["reads it when it is readable", (incoming, seen) => incoming.on("readable", () => seen.push(incoming.read() ?? nothing))],
    [
      "wraps those who listen",
      (incoming, seen) => {
        const on = incoming.on.bind(incoming);
        const record = (listener: (...given: never[]) => void) => (chunk: Uint8Array) => {
          seen.push(chunk);
          listener(...([chunk] as never[]));
        };
        incoming.on = (name, listener) => on(name, name === "data" ? record(listener) : listener);
      },
    ],
  ])("keeps its bytes if another reader %s", async (_how, read) => {
    const seen: Uint8Array[] = [];
    await releasedChunk(true, (incoming) => read(incoming, seen));
    expect(Buffer.concat(seen).toString()).toBe(text);
  });
});
