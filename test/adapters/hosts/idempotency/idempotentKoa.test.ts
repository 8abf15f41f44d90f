// @slow

import { createServer } from "node:http";
import { Readable } from "node:stream";
import Koa, { type Middleware } from "koa";
import { idempotent } from "../../../../adapters/koa.js";
import { listen } from "../host.js";
import { idempotentChecks } from "./idempotentChecks.js";

let outer = 0;
const hostHeaders: Middleware = async (context, next) => {
  outer += 1;
  context.vary("Origin");
  context.cookies.set("host", "1");
  context.set("X-Outer", String(outer));
  await next();
};

const hostError: Middleware = async (context, next) => {
  try {
    await next();
  } catch (error) {
    context.status = error instanceof Error && "status" in error ? Number(error.status) : 500;
    context.set("X-Host-Error", "1");
    context.body = "host error";
  }
};

/** What body parsers of Koa do. */
const parse: Middleware = async (context, next) => {
  const chunks: Buffer[] = [];
  for await (const chunk of context.req) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const type = context.request.type;
  if (type === "application/json" && bytes.length > 0) Object.assign(context.request, { body: JSON.parse(bytes.toString()) });
  else if (type.startsWith("text/")) Object.assign(context.request, { body: bytes.toString() });
  else if (type === "application/octet-stream") Object.assign(context.request, { body: bytes });
  await next();
};

idempotentChecks({
  name: "koa",
  parsesBehind: true,
  start({ options, caller, act, parseFirst }) {
    const app = new Koa();
    // Koa prints what it is told of otherwise, also that a client has gone away.
    app.silent = true;
    const guard = idempotent<Koa.Context>({ ...options, principal: (context) => caller(context.get("X-User") || undefined) });
    app.use(hostHeaders).use(hostError);
    for (const middleware of parseFirst ? [parse, guard] : [guard, parse]) app.use(middleware);
    app.use(async (context) => {
      const parsed = "body" in context.request ? context.request.body : undefined;
      const { status = 200, headers = {}, body, stream } = await act({ path: context.path, body: parsed, operationId: context.state["operationId"] });
      context.body = stream ? Readable.from(stream) : (body ?? null);
      context.status = status;
      context.set(headers);
    });
    return listen(createServer(app.callback()));
  },
});
