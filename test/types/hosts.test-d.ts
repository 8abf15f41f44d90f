import type { RequestListener } from "node:http";
import type { RequestHandler } from "express";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import type { Hono, MiddlewareHandler } from "hono";
import type Koa from "koa";
import mount from "koa-mount";
import { expectTypeOf, test } from "vitest";
import { expressHandler } from "../../adapters/express.js";
import { fastifyPlugin } from "../../adapters/fastify.js";
import { fetchHandler } from "../../adapters/fetch.js";
import { honoHandler } from "../../adapters/hono.js";
import { koaMiddleware } from "../../adapters/koa.js";
import { nodeHandler } from "../../adapters/node.js";
import type { Service } from "../../src/engine/service/service.js";
import type { Handle } from "../../src/ground/http/message.js";

declare const service: { readonly handle: Handle };

test("every adapter takes a service", () => {
  expectTypeOf<Service>().toExtend<Parameters<typeof nodeHandler>[0]>();
  expectTypeOf<Service>().toExtend<Parameters<typeof expressHandler>[0]>();
  expectTypeOf<Service>().toExtend<Parameters<typeof fastifyPlugin>[0]>();
  expectTypeOf<Service>().toExtend<Parameters<typeof honoHandler>[0]>();
  expectTypeOf<Service>().toExtend<Parameters<typeof koaMiddleware>[0]>();
  expectTypeOf<Service>().toExtend<Parameters<typeof fetchHandler>[0]>();
});

test("the handler for Express is a RequestHandler", () => {
  expectTypeOf(expressHandler(service)).toExtend<RequestHandler>();
});

test("the plugin for Fastify is a FastifyPluginAsync and can be registered with a prefix", () => {
  expectTypeOf(fastifyPlugin(service)).toExtend<FastifyPluginAsync>();
  const register = (app: FastifyInstance) => app.register(fastifyPlugin(service), { prefix: "/v1" });
  expectTypeOf(register).toBeFunction();
});

test("the handler for Hono is a MiddlewareHandler, whatever the app's environment", () => {
  interface Environment {
    Bindings: { secret: string };
    Variables: { user: string };
  }
  expectTypeOf(honoHandler(service)).toExtend<MiddlewareHandler>();
  expectTypeOf(honoHandler(service)).toExtend<MiddlewareHandler<Environment>>();
  const bind = (app: Hono<Environment>) => app.use("/v1/*", honoHandler(service, { mount: "/v1" }));
  expectTypeOf(bind).toBeFunction();
});

test("the middleware for Koa is a Middleware, also with a state and under koa-mount", () => {
  expectTypeOf(koaMiddleware(service)).toExtend<Koa.Middleware>();
  const bind = (app: Koa<{ user: string }>) => app.use(koaMiddleware(service)).use(mount("/v1", koaMiddleware(service)));
  expectTypeOf(bind).toBeFunction();
});

test("the listener for node:http is a RequestListener", () => {
  expectTypeOf(nodeHandler(service, { mount: "/v1" })).toExtend<RequestListener>();
});

test("the handler for fetch takes a Request, and what the host passes beside it, and answers a Response", () => {
  expectTypeOf(fetchHandler(service)).toEqualTypeOf<(request: Request, bindings?: unknown) => Promise<Response>>();
});

test("options are checked", () => {
  // @ts-expect-error the mount is a path
  nodeHandler(service, { mount: 1 });
  // @ts-expect-error the option is called mount
  fetchHandler(service, { prefix: "/v1" });
});
