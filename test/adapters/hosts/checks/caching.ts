import type { IncomingHttpHeaders } from "node:http";
import { createService, defineResource } from "restwright";
import { bearer } from "restwright/auth";
import { cache } from "restwright/cache";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { type Sent, send } from "../client.js";
import type { Host, RunningHost } from "../host.js";

const schema = z.object({ id: z.int(), title: z.string() });
const orders = defineResource("orders", { schema, generated: { id: "increment" }, cache: { private: true, maxAge: 0, mustRevalidate: true } });
const products = defineResource("products", {
  schema,
  generated: { id: "increment" },
  anonymous: "read",
  cache: { public: true, maxAge: 60, sMaxAge: 300, staleWhileRevalidate: 30, shared: true },
});
const own = "private, max-age=0, must-revalidate";
const shared = "public, max-age=60, s-maxage=300, stale-while-revalidate=30";

/** What the service says; the hosts of these tests add `Origin` of a middleware. */
const varyOf = ({ vary = "" }: IncomingHttpHeaders) => vary.replace(/^Origin(?:, )?/, "") || undefined;

/** A host that adds a header of its own, or leaves one out of a 304, would make a cache keep what it must not. */
export function cachingChecks(host: Host): void {
  const service = createService({
    resources: [orders, products],
    storage: memoryStorage(),
    auth: [bearer((token) => ({ id: token, tenant: token }))],
    use: [cache()],
    logger: false,
  });
  let running: RunningHost;
  const at = (path: string, as?: string, { headers, ...sent }: Sent = {}) =>
    send(running.port, `/v1${path}`, { ...sent, headers: { ...(as !== undefined && { Authorization: `Bearer ${as}` }), ...headers } });
  const create = (path: string, as: string) =>
    at(path, as, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"title":"a"}' });

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
    await create("/orders", "ann");
    await create("/products", "ann");
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  it("sends the rule of a collection with 200, HEAD and 304, and names what took part in Vary", async () => {
    for (const [path, rule, vary] of [
      ["/orders/1", own, "Authorization"],
      ["/orders", own, "Authorization"],
      ["/products/1", shared, undefined],
      ["/products", shared, undefined],
    ] as const) {
      const { status, headers, body } = await at(path, "ann");
      expect([path, status, headers["cache-control"], varyOf(headers)]).toEqual([path, 200, rule, vary]);
      expect(body.length).toBeGreaterThan(0);
      const head = await at(path, "ann", { method: "HEAD" });
      expect([head.status, head.headers["cache-control"], varyOf(head.headers), head.headers.etag]).toEqual([200, rule, vary, headers.etag]);
      const again = await at(path, "ann", { headers: { "If-None-Match": headers.etag ?? "" } });
      expect([again.status, again.headers["cache-control"], varyOf(again.headers), again.headers.etag]).toEqual([304, rule, vary, headers.etag]);
    }
  });

  it("gives everybody the shared rows, and nobody those of another tenant", async () => {
    const answers = await Promise.all(["ann", "bob", undefined].map((as) => at("/products/1", as)));
    expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual(answers.map(() => [200, '{"id":1,"title":"a"}']));
    expect((await at("/orders/1", "bob")).status).toBe(404);
    expect((await at("/orders/1")).status).toBe(401);
  });

  it("lets no cache keep errors, nor the answers to writes without asking", async () => {
    const errors = [await at("/products/9"), await at("/products?nope=1"), await at("/orders"), await at("/products/1", "ann", { method: "POST" })];
    expect(errors.map(({ status, headers }) => [status, headers["cache-control"]])).toEqual(
      [404, 400, 401, 405].map((status) => [status, "no-store"]),
    );
    const created = await create("/products", "bob");
    expect([created.status, created.headers["cache-control"], varyOf(created.headers)]).toEqual([201, "private, no-cache", "Authorization"]);
  });
}
