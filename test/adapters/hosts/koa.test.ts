// @long

import { createServer } from "node:http";
import Koa, { type Middleware } from "koa";
import mountAt from "koa-mount";
import { koaMiddleware } from "../../../adapters/koa.js";
import { hostConformance } from "./conformance.js";
import { listen, mountSegments } from "./host.js";

const hostError: Middleware = async (context, next) => {
  try {
    await next();
  } catch {
    context.status = 500;
    context.set("X-Host-Error", "1");
    context.body = "host error";
  }
};

const hostHeaders: Middleware = async (context, next) => {
  context.vary("Origin");
  context.cookies.set("host", "1");
  await next();
};

/** What koa-bodyparser does. */
const parseJson: Middleware = async (context, next) => {
  const chunks: Buffer[] = [];
  for await (const chunk of context.req) chunks.push(chunk);
  Object.assign(context.request, { body: chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString()) });
  await next();
};

hostConformance({
  name: "koa",
  framework: true,
  setsHeaders: true,
  parsesBodies: true,
  nodeRequests: true,
  lingers: true,
  start(handle, { mount, parseBodies }) {
    const app = new Koa();
    // Koa prints what it is told of otherwise, also that a client has gone away.
    app.silent = true;
    app.use(hostError).use(hostHeaders);
    if (parseBodies) app.use(parseJson);
    app.use(mountSegments(mount).reduceRight((inner: Middleware, segment) => mountAt(segment, inner), koaMiddleware({ handle })));
    app.use((context, next) => {
      if (context.path !== "/own") return next();
      context.body = "own route";
      return undefined;
    });
    return listen(createServer(app.callback()));
  },
});
