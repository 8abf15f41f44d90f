import { createServer, type IncomingMessage, type Server } from "node:http";
import { createAdaptorServer, getRequestListener } from "@hono/node-server";
import express from "express";
import Fastify from "fastify";
import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import Koa from "koa";
import { afterEach, describe, expect, it } from "vitest";
import { expressHandler } from "../../../adapters/express.js";
import { fastifyPlugin } from "../../../adapters/fastify.js";
import { honoHandler } from "../../../adapters/hono.js";
import { koaMiddleware } from "../../../adapters/koa.js";
import { memoryBlobs, memoryStorage } from "../../../adapters/memory.js";
import type { Service } from "../../../src/index.js";
import { fullService } from "../../tools/fullService.js";
import { send } from "./client.js";
import { listen, type RunningHost } from "./host.js";

const form = `--b\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\nhello\r\n--b--\r\n`;
const multipart = { "Content-Type": "multipart/form-data; boundary=b" };
const offsetStream = "application/offset+octet-stream";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** What is answered to a form and to a piece of an upload by a service behind a host that has read bodies, and what its developer hears of it. */
async function behind(start: (service: Service) => Promise<RunningHost>, { chunked = false } = {}) {
  const faults: string[] = [];
  const service = fullService({
    resources: [],
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    onError: (error) => faults.push(String(error)),
    uploads: { types: "any", forms: { avatars: { types: "any" } } },
  });
  const { port, close } = await start(service);
  ends.push(close, () => service.close());
  const avatar = await send(port, "/avatars", { method: "POST", headers: multipart, body: chunked ? [form] : form });
  const created = await send(port, "/uploads", { method: "POST", headers: { "Upload-Length": "100" } });
  const path = created.headers.location ?? "";
  const headers = { "Content-Type": offsetStream, "Upload-Offset": "0" };
  const piece = await send(port, path, { method: "PATCH", headers, body: chunked ? ["ab", "cd"] : Buffer.from([0xff, 0xfe, 0xff, 0]) });
  const { headers: after } = await send(port, path, { method: "HEAD" });
  const { code, detail } = JSON.parse(avatar.body.toString());
  // Where nobody hears of errors, the answer is all that there is.
  if (code === "INTERNAL") expect(faults[0]).toBe(`ProblemError: ${detail}`);
  return { form: avatar.status, code, piece: piece.status, offset: after["upload-offset"], faults };
}

async function readAll(incoming: IncomingMessage): Promise<void> {
  for await (const _chunk of incoming);
}

const mountBefore = expect.stringMatching(
  /^ProblemError: A body parser of this server has read the body before restwright: .* Mount restwright before body parsers\.$/,
);

describe("a body that a parser of the host has read is an error that says so, and no upload goes wrong by it,", () => {
  it.each([{ value: {} }, { value: undefined }])("on Express, where it leaves $value", async ({ value }) => {
    const answered = await behind((service) => {
      const app = express();
      app.use(async (request, _response, next) => {
        await readAll(request);
        request.body = value;
        next();
      });
      app.use(expressHandler(service));
      return listen(createServer(app));
    });
    expect(answered).toEqual({ form: 500, code: "INTERNAL", piece: 500, offset: "0", faults: [mountBefore, mountBefore] });
  });

  it("on Koa", async () => {
    const answered = await behind((service) => {
      const app = new Koa();
      app.use(async (context, next) => {
        await readAll(context.req);
        Object.assign(context.request, { body: {} });
        await next();
      });
      app.use(koaMiddleware(service));
      return listen(createServer(app.callback()));
    });
    expect(answered).toEqual({ form: 500, code: "INTERNAL", piece: 500, offset: "0", faults: [mountBefore, mountBefore] });
  });

  it("on Hono, which keeps the bytes of a form and has text in place of those of a piece", async () => {
    const answered = await behind((service) => {
      const app = new Hono();
      app.use(async (context, next) => {
        if (context.req.header("content-type")?.startsWith("multipart/")) await context.req.parseBody();
        else await context.req.text();
        await next();
      });
      app.use("*", honoHandler(service));
      return listen(createServer(getRequestListener(app.fetch)));
    });
    expect(answered).toEqual({ form: 201, code: undefined, piece: 500, offset: "0", faults: [mountBefore] });
  });
});

describe("nothing is lost where the host", () => {
  it("hands over the bytes that it has read", async () => {
    const answered = await behind((service) => {
      const app = express();
      app.use(express.raw({ type: "*/*" }), expressHandler(service));
      return listen(createServer(app));
    });
    expect(answered).toMatchObject({ form: 201, piece: 204, offset: "4", faults: [] });
  });

  it.each<[string, MiddlewareHandler]>([
    ["limits it", bodyLimit({ maxSize: 1_000 })],
    [
      "reads a clone of it",
      async (context, next) => {
        if (context.req.raw.body !== null) void context.req.raw.clone().arrayBuffer();
        await next();
      },
    ],
  ])("is Hono with a middleware that %s", async (_, middleware) => {
    const start = (service: Service) => {
      const app = new Hono();
      app.use(middleware);
      app.use("*", honoHandler(service));
      return listen(createAdaptorServer(app) as Server);
    };
    expect(await behind(start)).toMatchObject({ form: 201, piece: 204, offset: "4", faults: [] });
    expect(await behind(start, { chunked: true })).toMatchObject({ form: 201, piece: 204, offset: "4", faults: [] });
  });

  it("is Fastify with parsers of its own", async () => {
    const answered = await behind(async (service) => {
      const app = Fastify();
      app.addContentTypeParser(["multipart/form-data", offsetStream], async (_request: unknown, payload: IncomingMessage) => {
        await readAll(payload);
        return {};
      });
      await app.register(fastifyPlugin(service));
      await app.ready();
      return listen(app.server);
    });
    expect(answered).toMatchObject({ form: 201, piece: 204, offset: "4", faults: [] });
  });
});
