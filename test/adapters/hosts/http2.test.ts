import { type ClientHttp2Session, connect, constants, createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fastifyPlugin } from "../../../adapters/fastify.js";
import { nodeHandler } from "../../../adapters/node.js";
import type { Handle } from "../../../src/ground/http/message.js";
import { FakeClock } from "../../../src/testing/index.js";
import { eventually } from "../../tools/eventually.js";
import { chunkBytes, createFixture, type Fixture } from "./fixture.js";

const stallMs = 16_000;

/** The fixture, with a limit for answers that are not read, and a long text. */
function limitedFixture(clock: FakeClock): Fixture & { readonly cut: string[] } {
  const { handle: served, state } = createFixture();
  const cut: string[] = [];
  const handle: Handle = async (request) => {
    const isLong = request.path === "/long";
    const response = isLong ? { status: 200, headers: { "content-length": String(longBytes) }, body: "x".repeat(longBytes) } : await served(request);
    return response && { ...response, unread: { stallMs, timers: clock, stalled: () => void cut.push(request.path) } };
  };
  return { handle, state, cut };
}

const longBytes = 2_000_000;

const hosts = {
  async node(fixture: Fixture) {
    const server = createServer(nodeHandler(fixture, { mount: "/v1" }) as never);
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return { port: (server.address() as AddressInfo).port, close: () => new Promise<unknown>((closed) => server.close(closed)) };
  },
  async fastify(fixture: Fixture) {
    const app = Fastify({ http2: true });
    await app.register(fastifyPlugin(fixture) as never, { prefix: "/v1" });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() as PromiseLike<unknown> };
  },
};

describe.each(Object.entries(hosts))("%s over HTTP/2", (_, start) => {
  let host: Awaited<ReturnType<typeof start>>;
  let session: ClientHttp2Session;
  const clock = new FakeClock();
  const fixture = limitedFixture(clock);
  beforeAll(async () => {
    host = await start(fixture);
    session = connect(`http://127.0.0.1:${host.port}`);
  });
  afterAll(async () => {
    await new Promise<void>((closed) => session.close(closed));
    await host.close();
  });

  function send(headers: OutgoingHttpHeaders, body?: string): Promise<{ readonly headers: IncomingHttpHeaders; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const stream = session.request(headers, { endStream: body === undefined });
      let received: IncomingHttpHeaders = {};
      let text = "";
      stream.setEncoding("utf8").on("response", (given) => {
        received = given;
      });
      stream
        .on("data", (chunk: string) => {
          text += chunk;
        })
        .on("end", () => resolve({ headers: received, text }))
        .on("error", reject);
      if (body !== undefined) stream.end(body);
    });
  }

  const post = { ":method": "POST", ":path": "/v1/echo", "content-type": "text/plain" };

  it("reads a body whose length no header tells", async () => {
    expect(JSON.parse((await send(post, "hello")).text)).toMatchObject({ body: { kind: "stream", text: "hello" } });
    expect(JSON.parse((await send({ ...post, "content-length": "5" }, "hello")).text)).toMatchObject({ body: { text: "hello" } });
  });

  it("knows that a request has no body", async () => {
    expect(JSON.parse((await send(post)).text)).toMatchObject({ body: { kind: "none" } });
    expect(JSON.parse((await send({ ":path": "/v1/echo?q=1" })).text)).toMatchObject({ method: "GET", query: "q=1", body: { kind: "none" } });
  });

  it("ends what a client no longer waits for", async () => {
    const { state } = fixture;
    const waiting = session.request({ ":path": "/v1/wait" });
    await eventually(() => expect(state.handles).toBe(1));
    waiting.close(constants.NGHTTP2_CANCEL);
    await eventually(() => expect([state.handles, state.aborted]).toEqual([0, 1]));
    const streaming = session.request({ ":path": "/v1/stream?chunks=100000" });
    await new Promise((received) => streaming.once("data", received));
    expect(state.streams).toBe(1);
    streaming.close(constants.NGHTTP2_CANCEL);
    await eventually(() => expect(state.streams).toBe(0));
  });

  it("leaves out the headers of connections, which HTTP/2 does not have", async () => {
    const warned: Error[] = [];
    const note = (warning: Error) => warned.push(warning);
    process.on("warning", note);
    const { headers } = await send({ ...post, ":path": "/v1/too-large" }, "x".repeat(200_000));
    await new Promise((emitted) => setImmediate(emitted));
    process.off("warning", note);
    expect([headers[":status"], warned]).toEqual([413, []]);
  });

  it.each(["/stream?chunks=100", "/long"])("resets %s if its client reads nothing of it, and keeps the connection", async (path) => {
    const { cut, state } = fixture;
    const held = session.request({ ":path": `/v1${path}` }).on("error", () => undefined);
    await new Promise((received) => held.once("response", received));
    let looks = 0;
    for (const before = cut.length; cut.length === before && looks < 1_000; looks += 1) {
      clock.advance(stallMs / 16);
      await new Promise(setImmediate);
    }
    expect([looks > 16, cut.pop(), cut]).toEqual([true, path.split("?")[0], []]);
    await eventually(() => expect([held.rstCode, state.streams]).toEqual([constants.NGHTTP2_CANCEL, 0]));
    held.resume();
    expect((await send({ ":path": "/v1/text" })).text).toBe("Grüße");
  });

  it.each([
    ["/stream?chunks=100", 100 * chunkBytes],
    ["/long", longBytes],
  ])("sends all of %s to a client that reads slowly", async (path, bytes) => {
    const slow = session.request({ ":path": `/v1${path}` });
    let [received, isOver] = [0, false];
    slow.on("close", () => {
      isOver = true;
    });
    for (let step = 0; !isOver; step += 1) {
      received += (slow.read() as Buffer | null)?.length ?? 0;
      if (step % 4 === 0) clock.advance(stallMs / 16);
      await new Promise(setImmediate);
    }
    expect([received, fixture.cut]).toEqual([bytes, []]);
  });
});
