import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import Koa from "koa";
import { idempotent as onExpress } from "restwright/express";
import { idempotent as onFastify } from "restwright/fastify";
import { idempotent as onHono } from "restwright/hono";
import { idempotent as onKoa } from "restwright/koa";
import { memoryIdempotency } from "restwright/memory";
import { describe, expectTypeOf, test } from "vitest";

const store = memoryIdempotency();

declare global {
  namespace Express {
    interface Request {
      account: { readonly id: string };
    }
  }
}

declare module "fastify" {
  interface FastifyRequest {
    account: { readonly id: string };
  }
}

describe("idempotent", () => {
  test("knows Express's request and what was added to it", () => {
    const app = express();
    app.post("/charges", onExpress({ store, principal: (request) => ({ id: request.account.id }) }), (request, response) => {
      expectTypeOf(request.operationId).toEqualTypeOf<string | undefined>();
      response.json({});
    });
    app.use(onExpress<express.Request>({ store, principal: (request) => ({ id: request.get("X-User") ?? "" }) }));
    // @ts-expect-error Without a principal everyone would share one space of keys.
    onExpress({ store });
    // @ts-expect-error An id is a text.
    onExpress({ store, principal: () => ({ id: 7 }) });
  });

  test("is options of a route on Fastify, whatever the route is typed with", () => {
    const app = Fastify();
    app.post("/charges", onFastify({ store, principal: (request) => ({ id: request.account.id }) }), async (request) => {
      expectTypeOf(request.operationId).toEqualTypeOf<string | undefined>();
    });
    const { preHandler, onSend } = onFastify({ store, principal: () => undefined });
    app.post<{ Body: { amount: number }; Params: { id: string } }>("/charges/:id", { preHandler: [preHandler], onSend }, async (request) => {
      expectTypeOf(request.body.amount).toBeNumber();
    });
    app.route<{ Body: { amount: number } }>({ method: "POST", url: "/", ...onFastify({ store, principal: () => null }), handler: async () => {} });
  });

  test("knows the variables of an app on Hono", () => {
    type Shop = { Variables: { user: { readonly id: string } } };
    const app = new Hono<Shop>();
    app.post("/charges", onHono<Shop>({ store, principal: (context) => context.get("user") }), (context) => {
      expectTypeOf(context.get("operationId")).toEqualTypeOf<string | undefined>();
      return context.json({ user: context.get("user").id });
    });
    new Hono().post("/charges", onHono({ store, principal: (context) => ({ id: context.req.header("X-User") ?? "" }) }), (context) =>
      context.text(""),
    );
  });

  test("is a middleware of Koa", () => {
    const app = new Koa<{ user: { readonly id: string } }>();
    app.use(onKoa<Koa.ParameterizedContext<{ user: { readonly id: string } }>>({ store, principal: (context) => context.state.user }));
    new Koa().use(onKoa({ store, principal: (context) => ({ id: String(context.req.headers["x-user"]) }) }));
  });
});
