// @slow

import { gunzipSync } from "node:zlib";
import { Hono, type MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { expect, it } from "vitest";
import { idempotent } from "../../../../adapters/hono.js";
import { memoryIdempotency } from "../../../../adapters/memory.js";

const headers = { "Idempotency-Key": "0123456789abcdef", "Accept-Encoding": "gzip" };

/** An app that stands in no server. */
function appOf(handler: MiddlewareHandler, ...before: MiddlewareHandler[]) {
  const app = new Hono();
  for (const middleware of before) app.use(middleware);
  app.post("/charges", idempotent({ store: memoryIdempotency(), principal: () => ({ id: "ada" }) }), handler);
  return (body: string | FormData = "5") => app.request("/charges?a=1", { method: "POST", headers, body });
}

it("keeps what was sent before a middleware in front compresses it", async () => {
  const post = appOf(async (context) => context.text("x".repeat(2_000)), compress());
  const [first, again] = [await post(), await post()];
  for (const response of [first, again]) {
    expect([response.headers.get("content-encoding"), gunzipSync(await response.arrayBuffer()).toString()]).toEqual(["gzip", "x".repeat(2_000)]);
  }
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

it("replays a Response that the handler made itself", async () => {
  const post = appOf(async () => new Response("made", { status: 201, headers: { "X-Own": "1" } }));
  const [first, again] = [await post(), await post()];
  for (const response of [first, again]) {
    expect([response.status, response.headers.get("x-own"), await response.text()]).toEqual([201, "1", "made"]);
  }
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

it("compares a form by its entries where a middleware in front has read it", async () => {
  const read: MiddlewareHandler = async (context, next) => {
    await context.req.parseBody();
    await next();
  };
  const form = (amount: string, content: string) => {
    const data = new FormData();
    data.append("amount", amount);
    data.append("file", new File([content], "a.txt", { type: "text/plain" }));
    return data;
  };
  let runs = 0;
  const post = appOf(async (context) => context.json({ runs: ++runs, amount: (await context.req.parseBody())["amount"] }), read);
  const first = await post(form("5", "a"));
  const again = await post(form("5", "a"));
  expect([await first.text(), await again.text()]).toEqual(['{"runs":1,"amount":"5"}', '{"runs":1,"amount":"5"}']);
  expect([(await post(form("6", "a"))).status, (await post(form("5", "b"))).status]).toEqual([422, 422]);
});

it("hands the handler the signal and the headers of the request that came", async () => {
  const controller = new AbortController();
  let seen: readonly unknown[] = [];
  const app = new Hono();
  app.post("/charges", idempotent({ store: memoryIdempotency(), principal: () => undefined }), async (context) => {
    controller.abort();
    seen = [context.req.raw.signal.aborted, context.req.header("x-own"), await context.req.raw.text()];
    return context.text("done");
  });
  await app.request("/charges", { method: "POST", headers: { ...headers, "X-Own": "1" }, body: "5", signal: controller.signal });
  expect(seen).toEqual([true, "1", "5"]);
});
