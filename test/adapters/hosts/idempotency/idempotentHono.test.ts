// @slow

import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode, StatusCode } from "hono/utils/http-status";
import { idempotent } from "../../../../adapters/hono.js";
import type { IdempotentHost } from "../../../parts/idempotency/checks/host.js";
import { listen } from "../host.js";
import { idempotentChecks } from "./idempotentChecks.js";

let outer = 0;

async function parsed(context: Context): Promise<unknown> {
  const type = context.req.header("Content-Type") ?? "";
  if (type === "application/json") return context.req.json();
  if (type.startsWith("text/")) return context.req.text();
  return Buffer.from(await context.req.arrayBuffer());
}

function appOf({ options, caller, act, parseFirst }: Parameters<IdempotentHost["start"]>[0]): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    outer += 1;
    context.header("Vary", "Origin");
    context.header("Set-Cookie", "host=1; Path=/", { append: true });
    context.header("X-Outer", String(outer));
    await next();
  });
  if (parseFirst) {
    app.use(async (context, next) => {
      await context.req.arrayBuffer();
      await next();
    });
  }
  app.all("*", idempotent({ ...options, principal: (context) => caller(context.req.header("X-User")) }), async (context) => {
    const seen = { path: context.req.path, body: await parsed(context), operationId: context.get("operationId") };
    const { status = 200, headers = {}, body, stream } = await act(seen);
    for (const [name, value] of Object.entries(headers)) context.header(name, value, { append: true });
    context.status(status as StatusCode);
    if (stream) return context.body(ReadableStream.from(stream));
    if (body === undefined) return context.body(null);
    if (typeof body === "string") return context.text(body);
    return Buffer.isBuffer(body) ? context.body(new Uint8Array(body)) : context.json(body);
  });
  app.onError((error, context) => {
    const status = error instanceof HTTPException || "status" in error ? Number(error.status) : 500;
    return context.text("host error", status as ContentfulStatusCode, { "X-Host-Error": "1" });
  });
  return app;
}

idempotentChecks({
  name: "hono",
  parsesBehind: true,
  start: (guarded) => listen(createServer(getRequestListener(appOf(guarded).fetch))),
});

idempotentChecks({
  name: "hono without the Node request",
  parsesBehind: true,
  start(guarded) {
    const app = appOf(guarded);
    return listen(createServer(getRequestListener((request) => app.fetch(request))));
  },
});
