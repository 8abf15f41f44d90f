// @long

import cors from "@fastify/cors";
import Fastify, { type FastifyPluginAsync } from "fastify";
import { expect, test } from "vitest";
import { fastifyOptions, fastifyPlugin } from "../../../adapters/fastify.js";
import { hostConformance } from "./conformance.js";
import { listen, mountSegments } from "./host.js";

hostConformance({
  name: "fastify",
  framework: true,
  setsHeaders: true,
  // Its parsers do not reach into the scope of the plugin.
  parsesBodies: false,
  nodeRequests: true,
  lingers: true,
  async start(handle, { mount }) {
    const app = Fastify(fastifyOptions());
    app.addHook("onRequest", async (_request, reply) => {
      reply.header("Vary", "Origin").header("Set-Cookie", "host=1; Path=/");
    });
    app.setErrorHandler((_error, _request, reply) => reply.code(500).header("X-Host-Error", "1").send("host error"));
    app.get("/own", async () => "own route");
    app.post("/own", async ({ body }) => ({ parsed: body }));
    const nested = mountSegments(mount).reduceRight<FastifyPluginAsync>(
      (inner, segment) => async (scope) => {
        await scope.register(inner, { prefix: segment });
      },
      fastifyPlugin({ handle }),
    );
    await app.register(nested);
    await app.ready();
    return listen(app.server);
  },
});

test("without its options Fastify answers a malformed path itself", async () => {
  const app = Fastify();
  await app.register(fastifyPlugin({ handle: async () => undefined }), { prefix: "/v1" });
  expect((await app.inject("/v1/%")).json()).toMatchObject({ code: "FST_ERR_BAD_URL", statusCode: 400 });
});

test("with its options Fastify answers a malformed path itself where no service stands", async () => {
  const app = Fastify(fastifyOptions());
  await app.register(fastifyPlugin({ handle: async () => undefined }), { prefix: "/v1" });
  for (const path of ["/v1/%", "/v10/%", "/%"]) {
    const { statusCode, headers, body } = await app.inject(path);
    expect([statusCode, headers["content-type"]]).toEqual([400, "application/json; charset=utf-8"]);
    expect(JSON.parse(body)).toMatchObject({ error: "Bad Request", code: "FST_ERR_BAD_URL", statusCode: 400 });
  }
});

test("stands at the root behind @fastify/cors, which keeps OPTIONS", async () => {
  const app = Fastify();
  await app.register(cors, { origin: "https://shop.example" });
  await app.register(fastifyPlugin({ handle: async ({ path }) => (path === "/users" ? { status: 200, headers: {}, body: "users" } : undefined) }));
  const preflight = { origin: "https://shop.example", "access-control-request-method": "GET" };
  const answers = [
    await app.inject({ method: "OPTIONS", url: "/users", headers: preflight }),
    await app.inject({ method: "GET", url: "/users", headers: { origin: "https://shop.example" } }),
    await app.inject({ method: "GET", url: "/elsewhere" }),
  ];
  expect(answers.map(({ statusCode, headers, body }) => [statusCode, headers["access-control-allow-origin"], body.slice(0, 5)])).toEqual([
    [204, "https://shop.example", ""],
    [200, "https://shop.example", "users"],
    [404, "https://shop.example", '{"mes'],
  ]);
});

test("refuses at start-up a route of its paths that another plugin has", async () => {
  const app = Fastify();
  app.get("/*", async () => "other");
  await expect(async () => app.register(fastifyPlugin({ handle: async () => undefined }))).rejects.toThrow(/already declared for route/);
});
