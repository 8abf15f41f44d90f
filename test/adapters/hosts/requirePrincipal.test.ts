import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { AwsV4Signer } from "aws4fetch";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import Koa from "koa";
import { createService, type Principal, ProblemError, type Service } from "restwright";
import { apiKey, bearer, hashApiKey, sigv4 } from "restwright/auth";
import * as onExpress from "restwright/express";
import * as onFastify from "restwright/fastify";
import * as onHono from "restwright/hono";
import * as onKoa from "restwright/koa";
import { memoryStorage } from "restwright/memory";
import * as onNode from "restwright/node";
import { rateLimit } from "restwright/rate-limit";
import { describe, expect, onTestFinished, test } from "vitest";

const tokens: Readonly<Record<string, Principal>> = { ann: { id: "ann", scopes: ["read"] }, down: { id: "down" } };

function serviceOf(more: Partial<Parameters<typeof createService>[0]> = {}): Service {
  const verifier = bearer((token) => {
    if (token === "down") throw new Error("The accounts cannot be reached.");
    return Object.hasOwn(tokens, token) ? (tokens[token] ?? null) : null;
  });
  const service = createService({
    resources: [],
    storage: memoryStorage(),
    logger: false,
    auth: [verifier, apiKey((hash) => (hash === hashApiKey("k") ? { id: "partner" } : undefined))],
    ...more,
  });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return service as unknown as Service;
}

type Start = (service: Service, body: (principal: Principal | undefined, text: string) => object) => Promise<Server>;

const listening = async (server: Server) => {
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  return server;
};

/** A route `POST /own/:id` of the developer on each host, whose handler reads the body itself. */
const hosts: Readonly<Record<string, Start>> = {
  async express(service, body) {
    const app = express();
    app.use("/own", onExpress.requirePrincipal(service), express.text({ type: "*/*" }), (request, response) => {
      response.json(body(request.principal, String(request.body)));
    });
    return listening(app.listen(0));
  },
  async fastify(service, body) {
    const app = fastify();
    app.addContentTypeParser("*", { parseAs: "string" }, (_request, text, done) => done(null, text));
    app.route({
      method: ["GET", "POST", "HEAD"],
      url: "/own/:id",
      exposeHeadRoute: false,
      onRequest: onFastify.requirePrincipal(service),
      handler: async (request) => body(request.principal, String(request.body)),
    });
    await app.listen({ port: 0 });
    onTestFinished(() => app.close());
    return app.server;
  },
  async hono(service, body) {
    const app = new Hono();
    app.all("/own/:id", onHono.requirePrincipal(service), async (context) => context.json(body(context.get("principal"), await context.req.text())));
    return listening(serve({ fetch: app.fetch, port: 0 }) as Server);
  },
  async koa(service, body) {
    const app = new Koa();
    app.use(onKoa.requirePrincipal(service));
    app.use(async (context) => {
      let text = "";
      for await (const chunk of context.req) text += String(chunk);
      context.body = body(context.state["principal"] as Principal, text);
    });
    return listening(app.listen(0));
  },
  async node(service, body) {
    const identify = onNode.requirePrincipal(service);
    const server = createServer(async (incoming, outgoing) => {
      const principal = await identify(incoming, outgoing);
      if (principal === undefined) return;
      let text = "";
      for await (const chunk of incoming) text += String(chunk);
      outgoing.setHeader("content-type", "application/json").end(JSON.stringify(body(principal, text)));
    });
    return listening(server.listen(0));
  },
};

describe.each(Object.entries(hosts))("a route of the developer behind requirePrincipal on %s", (_, start) => {
  async function open(more?: Parameters<typeof serviceOf>[0]) {
    const server = await start(serviceOf(more), (principal, text) => ({ id: principal?.id, scopes: principal?.scopes, text }));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return (headers: Record<string, string>, method = "POST") =>
      fetch(`http://127.0.0.1:${port}/own/7?_method=DELETE&unknown=1`, { method, headers, ...(method === "POST" && { body: "hello" }) });
  }

  test("knows who sends the request, and reads the body itself", async () => {
    const send = await open();
    const answer = await send({ authorization: "Bearer ann" });
    expect([answer.status, await answer.json()]).toEqual([200, { id: "ann", scopes: ["read"], text: "hello" }]);
    expect(await (await send({ "x-api-key": "k" })).json()).toMatchObject({ id: "partner" });
  });

  test.each([
    ["no credentials", {}, 401, "UNAUTHENTICATED"],
    ["wrong ones", { authorization: "Bearer eve" }, 401, "UNAUTHENTICATED"],
    ["two kinds", { authorization: "Bearer ann", "x-api-key": "k" }, 400, "CONFLICTING_CREDENTIALS"],
  ])("answers %s as the service does", async (_of, headers, status, code) => {
    const send = await open({ anonymous: "allow" });
    const answer = await send(headers);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "application/problem+json"]);
    expect(await answer.json()).toMatchObject({ code, status, requestId: answer.headers.get("x-request-id") });
    expect(answer.headers.get("www-authenticate")).toEqual(status === 401 ? expect.stringContaining("Bearer") : null);
    const head = await send(headers, "HEAD");
    expect([head.status, await head.text()]).toEqual([status, ""]);
  });

  test("answers 5xx where the verifiers fail, and nothing runs", async () => {
    const answer = await (await open())({ authorization: "Bearer down" });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(await answer.json()).toHaveProperty("code");
  });

  test("is limited by address before credentials are verified, and by principal", async () => {
    const policies = [{ name: "addresses", limit: 3, windowMs: 60_000, by: "address" as const }];
    const send = await open({ use: [rateLimit({ policies })] });
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) statuses.push((await send({ authorization: "Bearer eve" })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const refused = await send({ authorization: "Bearer ann" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  test("is in the tenant that the service chooses", async () => {
    const send = await open({ tenant: ({ headers }) => (headers.get("x-tenant-id") === "acme" ? false : undefined) });
    expect((await send({ authorization: "Bearer ann", "x-tenant-id": "acme" })).status).toBe(403);
    expect((await send({ authorization: "Bearer ann" })).status).toBe(200);
  });
});

describe("service.authenticate", () => {
  const request = (headers: Record<string, string>, init: RequestInit = {}) => new Request("http://own.test/reports/7?x=1", { headers, ...init });

  test("has the principal of a request, whose body stays unread", async () => {
    const sent = request({ authorization: "Bearer ann" }, { method: "POST", body: "hello" });
    expect(await serviceOf().authenticate(sent)).toMatchObject({ id: "ann" });
    expect(await sent.text()).toBe("hello");
  });

  test("throws a problem with challenges", async () => {
    const error = await serviceOf()
      .authenticate(request({}))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      status: 401,
      code: "UNAUTHENTICATED",
      headers: { "www-authenticate": expect.arrayContaining([expect.stringContaining("Bearer")]) },
    });
  });

  test("takes the signature of a request without a body, and refuses one of a body, which it cannot compare", async () => {
    const keys = { accessKeyId: "AKID", secretAccessKey: "secret" };
    const scope = { service: "shop", region: "local" };
    const secret = (id: string) => (id === "AKID" ? { secretAccessKey: "secret", principal: { id: "ada" } } : undefined);
    const service = serviceOf({ auth: [sigv4({ secret, ...scope })] });
    const signed = async (method: string, body?: string) => {
      const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body ?? ""));
      const headers = { "x-amz-content-sha256": Buffer.from(hash).toString("hex") };
      const signer = new AwsV4Signer({ method, url: "http://own.test/reports/7", headers, ...(body !== undefined && { body }), ...keys, ...scope });
      const { url, ...rest } = await signer.sign();
      return new Request(url, { method: rest.method, headers: rest.headers, ...(body !== undefined && { body, duplex: "half" as const }) });
    };
    expect(await service.authenticate(await signed("GET"))).toMatchObject({ id: "ada" });
    const sent = await signed("POST", "hello");
    await expect(service.authenticate(new Request(sent, { headers: [...sent.headers, ["content-length", "5"]] }))).rejects.toMatchObject({
      status: 401,
    });
  });

  test("needs verifiers, and a service that runs", async () => {
    await expect(serviceOf({ auth: [] }).authenticate(request({}))).rejects.toThrow('the service has no verifiers; name some in "auth"');
    const service = serviceOf();
    await service.close();
    await expect(service.authenticate(request({ authorization: "Bearer ann" }))).rejects.toMatchObject({ status: 503, code: "SHUTTING_DOWN" });
  });
});
