import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type NodeExchange, nodeRequest } from "../../../adapters/hosts/nodeMessage.js";
import { type BodyOptions, ClientGone, readBody as readNow } from "../../../src/ground/http/body/body.js";
import type { HttpRequest, RequestBody } from "../../../src/ground/http/message.js";
import { systemTimers } from "../../../src/ground/http/timers.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { FakeClock } from "../../../src/testing/clock.js";
import { cpuMsSince } from "../../tools/cpuMs.js";

/** A body that has arrived is read at once; here each is waited for. */
async function readBody(...given: Parameters<typeof readNow>): Promise<Uint8Array> {
  return readNow(...given);
}

const never = new AbortController().signal;

function requestWith(body: RequestBody, signal = never): HttpRequest {
  return { method: "POST", path: "/", query: "", mount: "", headers: [], body, signal, native: undefined };
}

function options(changes: Partial<BodyOptions> = {}): BodyOptions {
  return { limitBytes: 10, stallMs: 30_000, bytesPerSecond: 0, timers: new FakeClock(), ...changes };
}

async function* streamOf(...chunks: readonly Uint8Array[]) {
  yield* chunks;
}

/** Gives one chunk a turn of the test, and notes whether it was let go. */
class Source implements AsyncIterable<Uint8Array> {
  returned = false;
  pulls = 0;
  #waiting: ((step: IteratorResult<Uint8Array>) => void) | undefined;

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => {
        this.pulls += 1;
        return new Promise((resolve) => {
          this.#waiting = resolve;
        });
      },
      return: async () => {
        this.returned = true;
        return { done: true, value: undefined };
      },
    };
  }

  async give(size: number): Promise<void> {
    this.#waiting?.({ done: false, value: new Uint8Array(size) });
    await settle();
  }
}

/** Lets everything that is ready run. */
const settle = () => sleep(0);

describe("a body", () => {
  test("that is not there has no bytes", async () => {
    await expect(readBody(requestWith({ kind: "none" }), options())).resolves.toEqual(new Uint8Array(0));
  });

  test("of bytes is taken as it is, up to the limit", async () => {
    const bytes = new Uint8Array(10);
    expect(await readBody(requestWith({ kind: "bytes", bytes }), options())).toBe(bytes);
    await expect(readBody(requestWith({ kind: "bytes", bytes }), options({ limitBytes: 9 }))).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });

  test("that the host has parsed is the caller's business", async () => {
    await expect(readBody(requestWith({ kind: "parsed", value: {} }), options())).rejects.toThrow(TypeError);
  });

  test("is put together from its chunks, whatever their sizes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 })), async (chunks) => {
        const bytes = await readBody(requestWith({ kind: "stream", stream: streamOf(...chunks) }), options({ limitBytes: 10_000 }));
        expect(Buffer.from(bytes)).toEqual(Buffer.concat(chunks));
      }),
    );
  });

  test("in single bytes is put together without delay", async () => {
    async function* singleBytes() {
      for (let index = 0; index < 200_000; index++) yield Uint8Array.of(index % 256);
    }
    const before = process.cpuUsage();
    const bytes = await readBody(requestWith({ kind: "stream", stream: singleBytes() }), options({ limitBytes: 200_000 }));
    expect(cpuMsSince(before)).toBeLessThan(2_000);
    expect(bytes).toHaveLength(200_000);
    expect(bytes.at(-1)).toBe(199_999 % 256);
  });

  test("that announces too much is refused before anything is read", async () => {
    const source = new Source();
    const reading = readBody(requestWith({ kind: "stream", stream: source }), options({ contentLength: "11" }));
    await expect(reading).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE", status: 413, extensions: { maximum: 10 } });
    expect(source.pulls).toBe(0);
  });

  test("may be exactly as large as the limit", async () => {
    const stream = streamOf(new Uint8Array(4), new Uint8Array(6));
    await expect(readBody(requestWith({ kind: "stream", stream }), options({ contentLength: "10" }))).resolves.toHaveLength(10);
  });

  test("that grows past the limit is refused at the chunk that does it, and let go", async () => {
    const source = new Source();
    const reading = readBody(requestWith({ kind: "stream", stream: source }), options());
    const refused = expect(reading).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE", extensions: { maximum: 10 } });
    await source.give(10);
    await source.give(1);
    await refused;
    expect(source).toMatchObject({ returned: true, pulls: 2 });
  });

  test("that never begins is given up after exactly the stall time", async () => {
    const clock = new FakeClock();
    const reading = readBody(requestWith({ kind: "stream", stream: new Source() }), options({ timers: clock }));
    let settled = false;
    const refused = expect(reading.finally(() => (settled = true))).rejects.toMatchObject({
      code: "REQUEST_TIMEOUT",
      status: 408,
      headers: { connection: "close" },
    });
    clock.advance(29_999);
    await settle();
    expect(settled).toBe(false);
    clock.advance(1);
    await refused;
  });

  test("may take its time as long as it moves", async () => {
    const clock = new FakeClock();
    const source = new Source();
    const reading = readBody(requestWith({ kind: "stream", stream: source }), options({ timers: clock }));
    const refused = expect(reading).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    let settled = false;
    reading.catch(() => (settled = true));
    for (let chunk = 0; chunk < 5; chunk++) {
      clock.advance(29_000);
      await source.give(1);
    }
    clock.advance(29_999);
    await settle();
    expect(settled).toBe(false);
    clock.advance(7_501);
    await refused;
  });

  test("that moves again after it was given up is let go, so that the host can drain it", async () => {
    const clock = new FakeClock();
    const source = new Source();
    const reading = readBody(requestWith({ kind: "stream", stream: source }), options({ timers: clock }));
    const refused = expect(reading).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    clock.advance(30_000);
    await refused;
    await source.give(1);
    expect(source).toMatchObject({ returned: true, pulls: 1 });
  });

  test("leaves no timer behind", async () => {
    const clock = new FakeClock();
    await readBody(requestWith({ kind: "stream", stream: streamOf(new Uint8Array(1)) }), options({ timers: clock }));
    expect(clock.pending).toBe(0);
  });

  test("whose stream fails ends as a client that went away, with the cause", async () => {
    const cause = new Error("aborted");
    async function* failing() {
      yield new Uint8Array(1);
      throw cause;
    }
    await expect(readBody(requestWith({ kind: "stream", stream: failing() }), options())).rejects.toMatchObject({ name: "ClientGone", cause });
  });
});

describe.each([
  ["an iterator", ({ incoming }: NodeExchange): RequestBody => ({ kind: "stream", stream: incoming.iterator({ destroyOnReturn: false }) })],
  ["the request of node:http", (exchange: NodeExchange): RequestBody => nodeRequest(exchange, { path: "/", query: "", mount: "" }).body],
])("a body on a real socket, read by %s", (_, bodyOf) => {
  interface Reading {
    readonly bytes: number;
    readonly error: unknown;
    /** Whether the stream was destroyed by the time it was judged. */
    readonly destroyed: boolean;
  }

  /** What became of the body that a client sends with `send`. */
  async function readOver(send: (port: number) => void, changes: Partial<BodyOptions>): Promise<Reading> {
    const server = createServer().listen(0);
    await once(server, "listening");
    send((server.address() as AddressInfo).port);
    const [incoming, outgoing] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    const body = bodyOf({ incoming, outgoing, native: incoming });
    const reading = await readBody(requestWith(body), options({ timers: systemTimers, ...changes })).then(
      ({ length }) => ({ bytes: length, error: undefined, destroyed: incoming.destroyed }),
      (error: unknown) => ({ bytes: 0, error, destroyed: incoming.destroyed }),
    );
    server.closeAllConnections();
    server.close();
    return reading;
  }

  const post = (port: number) => sendRequest({ port, method: "POST" }).on("error", () => undefined);

  test("arrives whole", async () => {
    const outcome = await readOver((port) => post(port).end(Buffer.alloc(300_000)), { limitBytes: 300_000 });
    expect(outcome).toMatchObject({ bytes: 300_000, error: undefined });
  });

  test("that is too large leaves the connection fit for an answer", async () => {
    const { error, destroyed } = await readOver((port) => post(port).end(Buffer.alloc(300_000)), { limitBytes: 100_000 });
    expect(error).toBeInstanceOf(ProblemError);
    expect(destroyed).toBe(false);
  });

  test("that stalls times out", async () => {
    const { error } = await readOver((port) => post(port).write("x"), { stallMs: 40 });
    expect(error).toMatchObject({ code: "REQUEST_TIMEOUT" });
  });

  test("that breaks off ends as a client that went away", async () => {
    const cut = (port: number) => {
      const sending = post(port);
      sending.write("x", () => setTimeout(() => sending.destroy(), 30));
    };
    expect((await readOver(cut, {})).error).toBeInstanceOf(ClientGone);
  });

  test("that is small arrives whole, in one piece or two", async () => {
    const inOne = await readOver((port) => post(port).end("small"), {});
    const inTwo = await readOver((port) => {
      const sending = post(port);
      sending.write("in ", () => setTimeout(() => sending.end("two"), 30));
    }, {});
    expect([inOne, inTwo]).toMatchObject([
      { bytes: 5, error: undefined },
      { bytes: 6, error: undefined },
    ]);
  });

  test("that is small and over the limit is refused", async () => {
    const { error } = await readOver((port) => post(port).end("small"), { limitBytes: 4 });
    expect(error).toMatchObject({ code: "PAYLOAD_TOO_LARGE", extensions: { maximum: 4 } });
  });
});

test("a small body that comes with its head is taken whole by a handler that does not wait for anything", async () => {
  const server = createServer().listen(0);
  await once(server, "listening");
  const reading = new Promise<Uint8Array>((resolve, reject) => {
    server.on("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const { body } = nodeRequest({ incoming, outgoing, native: incoming }, { path: "/", query: "", mount: "" });
      if (body.kind !== "stream") return reject(new Error("The request has no stream."));
      const stream = { [Symbol.asyncIterator]: () => expect.fail("The body was read by its iterator.") };
      readBody(requestWith({ kind: "stream", stream, takeArrived: () => body.takeArrived?.() }), options()).then(resolve, reject);
    });
  });
  sendRequest({ port: (server.address() as AddressInfo).port, method: "POST" })
    .on("error", () => undefined)
    .end("small");
  expect(Buffer.from(await reading).toString()).toBe("small");
  server.closeAllConnections();
  server.close();
});

describe("a body that has arrived before it is read", () => {
  /** What `take` finds in a request of which all has arrived, and whether its stream has ended afterwards. */
  async function arrived<T>(
    body: string,
    take: (body: Extract<RequestBody, { kind: "stream" }>, incoming: IncomingMessage) => T,
  ): Promise<[T, boolean]> {
    const server = createServer().listen(0);
    await once(server, "listening");
    sendRequest({ port: (server.address() as AddressInfo).port, method: "POST" })
      .on("error", () => undefined)
      .end(body);
    const [incoming, outgoing] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    while (!incoming.complete) await nextTurn();
    const request = nodeRequest({ incoming, outgoing, native: incoming }, { path: "/", query: "", mount: "" });
    if (request.body.kind !== "stream") throw new Error("The request has no stream.");
    const taken = take(request.body, incoming);
    await once(incoming, "end", { signal: AbortSignal.timeout(100) }).catch(() => {});
    const { readableEnded } = incoming;
    server.closeAllConnections();
    server.close();
    return [taken, readableEnded];
  }

  test("is taken at once, without a timer, and the stream ends", async () => {
    const clock = new FakeClock();
    const [{ reading, timers }, hasEnded] = await arrived("whole", (body) => {
      const reading = readBody(requestWith(body), options({ timers: clock }));
      return { reading, timers: clock.pending };
    });
    expect([Buffer.from(await reading).toString(), timers, hasEnded]).toEqual(["whole", 0, true]);
  });

  test("is left to another reader of the stream", async () => {
    const texts: string[] = [];
    const [taken] = await arrived("whole", (body, incoming) => {
      incoming.setEncoding("utf8").on("data", (text: string) => texts.push(text));
      return body.takeArrived?.();
    });
    expect([taken, texts]).toEqual([undefined, ["whole"]]);
  });

  test("is still in the stream if there is nothing to take", async () => {
    expect(await arrived("", (body) => body.takeArrived?.())).toEqual([undefined, false]);
  });
});
