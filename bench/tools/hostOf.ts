import type { StartHost } from "../../examples/shop/host.js";
import type { Host } from "./serverOptions.js";

/** The example's binding to a framework; no other framework is loaded. */
export function hostOf(host: Host): Promise<{ readonly start: StartHost }> {
  switch (host) {
    case "fastify":
      return import("../../examples/shop/fastify.js");
    case "express":
      return import("../../examples/shop/express.js");
    case "hono":
      return import("../../examples/shop/hono.js");
    case "koa":
      return import("../../examples/shop/koa.js");
  }
}
