import Fastify from "fastify";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { describe, expect, it } from "vitest";
import { fastifyPlugin } from "../../../adapters/fastify.js";
import { fetchHandler } from "../../../adapters/fetch.js";
import { honoHandler } from "../../../adapters/hono.js";
import { createFixture } from "./fixture.js";

describe("without a socket", () => {
  it("fastify.inject reaches the service, with its body and its signal", async () => {
    const app = Fastify();
    await app.register(fastifyPlugin(createFixture()), { prefix: "/v1" });
    const echo = await app.inject({ method: "POST", url: "/v1/echo?q=1", payload: "hello" });
    expect(echo.json()).toMatchObject({ mount: "/v1", path: "/echo", query: "q=1", body: { text: "hello" } });
    expect((await app.inject({ method: "POST", url: "/v1/read", payload: "hello" })).body).toBe("5");
    expect((await app.inject({ url: "/v1/stream?chunks=2" })).rawPayload.length).toBe(2 * 65_536);
  });

  it("app.request of Hono reaches the service, with a body read before and one unread", async () => {
    const app = new Hono();
    app.use("/parsed/*", async (context, next) => {
      await context.req.json();
      await next();
    });
    app.use("/:tenant/*", honoHandler(createFixture()));
    const post = (path: string) => app.request(path, { method: "POST", body: '{"a":1}', headers: { "Content-Type": "application/json" } });
    expect(await (await post("/parsed/echo/a%2Fb?q=1")).json()).toMatchObject({
      mount: "/parsed",
      path: "/echo/a%2Fb",
      query: "q=1",
      body: { kind: "bytes", text: '{"a":1}' },
    });
    expect(await (await post("/v1/echo")).json()).toMatchObject({ mount: "/v1", body: { kind: "stream", text: '{"a":1}' } });
    expect(await (await app.request("/v1/echo")).json()).toMatchObject({ method: "GET", body: { kind: "none" } });
  });

  it("headers that a middleware of Hono has set on its response stay beside ours", async () => {
    const app = new Hono();
    app.use("*", cors({ origin: (origin) => origin, credentials: true }), async (context, next) => {
      context.res.headers.append("Vary", "X-Tenant");
      context.res.headers.append("Set-Cookie", "host=1");
      await next();
    });
    app.use("*", honoHandler(createFixture()));
    const vary = (await app.request("/vary", { headers: { Origin: "https://a.example" } })).headers.get("vary");
    expect(new Set(vary?.split(", "))).toEqual(new Set(["Origin", "X-Tenant", "Accept"]));
    const { headers } = await app.request("/cookies", { headers: { Origin: "https://a.example" } });
    expect(headers.getSetCookie()).toEqual(["host=1", "a=1; Path=/", "b=2; Path=/"]);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(headers.get("access-control-allow-origin")).toBe("https://a.example");
  });

  it("a mount given to the handler of Hono is cut, and other paths go on", async () => {
    const app = new Hono();
    app.use("*", honoHandler(createFixture(), { mount: "/v1" }));
    app.get("/v10/echo", (context) => context.text("own route"));
    expect(await (await app.request("/v1/echo")).json()).toMatchObject({ mount: "/v1", path: "/echo" });
    expect(await (await app.request("/v10/echo")).text()).toBe("own route");
  });
});

describe("fetchHandler", () => {
  const { handle, state } = createFixture();
  const fetch = fetchHandler({ handle }, { mount: "/v1" });
  const echo = async (init: RequestInit) => {
    const { body } = JSON.parse(await (await fetch(new Request("http://host/v1/echo", init))).text());
    return body;
  };

  it.each([
    { method: "GET", body: { kind: "none", text: "" } },
    { method: "DELETE", body: { kind: "none", text: "" } },
  ])("tells that $method has no body", async ({ method, body }) => {
    expect(await echo({ method })).toEqual(body);
  });

  it("hands over a body that has no length", async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("hello"));
        controller.close();
      },
    });
    expect(await echo({ method: "POST", body, duplex: "half" })).toEqual({ kind: "stream", text: "hello" });
  });

  it("pulls a chunk of a stream only when it is asked for one, and closes it when the reader goes", async () => {
    const response = await fetch(new Request("http://host/v1/stream?chunks=100"));
    const reader = response.body?.getReader();
    expect(state.chunks).toBe(0);
    await reader?.read();
    expect(state.chunks).toBe(1);
    await reader?.cancel();
    expect(state.streams).toBe(0);
  });

  it("aborts the signal of the service with the request's own", async () => {
    const gone = new AbortController();
    const answered = fetch(new Request("http://host/v1/wait", { signal: gone.signal }));
    gone.abort();
    await answered;
    expect(state.aborted).toBe(1);
  });

  it("does not take a request whose body was read before for one without a body", async () => {
    const request = new Request("http://host/v1/echo", { method: "POST", body: "hello" });
    await request.text();
    await expect(fetch(request)).rejects.toThrow(TypeError);
  });
});
