import { type ClientHttp2Session, connect, createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fastifyPlugin } from "../../adapters/fastify.js";
import { nodeHandler } from "../../adapters/node.js";
import { createFixture } from "./fixture.js";

const hosts = {
  async node() {
    const server = createServer(nodeHandler(createFixture(), { mount: "/v1" }) as never);
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return { port: (server.address() as AddressInfo).port, close: () => new Promise<unknown>((closed) => server.close(closed)) };
  },
  async fastify() {
    const app = Fastify({ http2: true });
    await app.register(fastifyPlugin(createFixture()) as never, { prefix: "/v1" });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() as PromiseLike<unknown> };
  },
};

describe.each(Object.entries(hosts))("%s over HTTP/2", (_, start) => {
  let host: Awaited<ReturnType<typeof start>>;
  let session: ClientHttp2Session;
  beforeAll(async () => {
    host = await start();
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
});
