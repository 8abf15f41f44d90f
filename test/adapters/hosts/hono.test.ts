// @long

import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { honoHandler } from "../../../adapters/hono.js";
import { hostConformance } from "./conformance.js";
import { listen, mountSegments } from "./host.js";

hostConformance({
  name: "hono",
  framework: true,
  setsHeaders: true,
  parsesBodies: true,
  nodeRequests: true,
  lingers: false,
  start(handle, { mount, parseBodies }) {
    const bound = new Hono();
    bound.use("*", honoHandler({ handle }));
    const app = new Hono();
    app.use(async (context, next) => {
      context.header("Vary", "Origin");
      context.header("Set-Cookie", "host=1; Path=/", { append: true });
      await next();
    });
    if (parseBodies) {
      app.use(async (context, next) => {
        await context.req.json().catch(() => undefined);
        await next();
      });
    }
    app.route(
      "/",
      mountSegments(mount).reduceRight((inner, segment) => new Hono().route(segment, inner), bound),
    );
    app.get("/own", (context) => context.text("own route"));
    app.onError((_error, context) => context.text("host error", 500, { "X-Host-Error": "1" }));
    return listen(createServer(getRequestListener(app.fetch)));
  },
});
