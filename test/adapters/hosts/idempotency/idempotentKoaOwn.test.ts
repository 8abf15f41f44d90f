// @slow

import { createServer } from "node:http";
import Koa, { type Context, type Middleware } from "koa";
import { expect, it } from "vitest";
import { idempotent } from "../../../../adapters/koa.js";
import { memoryIdempotency } from "../../../../adapters/memory.js";
import { type Received, send } from "../client.js";
import { listen } from "../host.js";

/** The answers to two requests with one key. */
async function twice(handler: (context: Context) => unknown, outer: Middleware = (_, next) => next()): Promise<readonly [Received, Received]> {
  const app = new Koa();
  app.silent = true;
  app.use(outer);
  app.use(idempotent({ store: memoryIdempotency(), principal: () => ({ id: "ada" }) }));
  app.use(async (context) => {
    await handler(context);
  });
  const running = await listen(createServer(app.callback()));
  const post = () => send(running.port, "/", { method: "POST", headers: { "Idempotency-Key": "0123456789abcdef" } });
  try {
    return [await post(), await post()];
  } finally {
    await running.close();
  }
}

it.each<[string, (context: Context) => unknown, number, string]>([
  ["a Blob", (context) => (context.body = new Blob(["blob"], { type: "text/x" })), 200, "blob"],
  ["a web stream", (context) => (context.body = ReadableStream.from([Buffer.from("web")])), 200, "web"],
  ["a Response", (context) => (context.body = new Response("response", { status: 201 })), 201, "response"],
  ["bytes that Koa writes as JSON", (context) => (context.body = new Uint8Array([1, 2])), 200, '{"0":1,"1":2}'],
  ["a status and no body", (context) => (context.status = 202), 202, "Accepted"],
  ["a status and a body of null", (context) => Object.assign(context, { body: null, status: 201 }), 201, ""],
  ["an empty text", (context) => (context.body = ""), 200, ""],
])("replays %s", async (_, handler, status, text) => {
  for (const [index, received] of (await twice(handler)).entries()) {
    expect([received.status, received.body.toString(), received.headers["idempotent-replayed"]]).toEqual([
      status,
      text,
      index === 0 ? undefined : "true",
    ]);
  }
});

it("does the same to a replay as to the first answer in a middleware in front", async () => {
  const shout: Middleware = async (context, next) => {
    await next();
    if (typeof context.body === "string") context.body = context.body.toUpperCase();
    else if (Buffer.isBuffer(context.body)) context.body = context.body.toString().toUpperCase();
  };
  const [first, again] = await twice((context) => Object.assign(context, { body: { note: "quiet" } }), shout);
  expect([first.body.toString(), again.body.toString()]).toEqual(['{"NOTE":"QUIET"}', '{"NOTE":"QUIET"}']);
});

it("keeps status and headers of a handler that writes to the response of Node itself", async () => {
  let runs = 0;
  const [first, again] = await twice((context) => {
    runs += 1;
    context.respond = false;
    context.res.writeHead(201, { "X-Own": "1" }).end("raw");
  });
  expect([first.status, first.body.toString()]).toEqual([201, "raw"]);
  expect([again.status, again.body.toString(), again.headers["idempotent-replayed"], runs]).toEqual([201, "", "true", 1]);
});
