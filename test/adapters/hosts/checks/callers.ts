import { createService, defineResource } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { rateLimit } from "restwright/rate-limit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { type Sent, send } from "../client.js";
import type { Host, RunningHost } from "../host.js";

const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const json = { "Content-Type": "application/json" };

/** Which caller a request is from, and what that caller may do: headers and addresses must reach the core as they were sent. */
export function callerChecks(host: Host): void {
  const service = createService({
    resources: [things],
    storage: memoryStorage(),
    logger: false,
    auth: [bearer((token) => ({ id: token, tenant: "a", claims: { role: token } }))],
    anonymous: "allow",
    tenant: ({ headers }, { id }) => (id === "root" ? headers.get("x-tenant-id") : undefined),
    trustMethodOverride: (_request, { id }) => id === "root",
    trustedHops: 1,
    minimumClientVersion: "2.0",
    use: [rateLimit({ policies: [{ name: "minute", limit: 20, windowMs: 60_000 }] })],
  });
  let running: RunningHost;
  const as = (token: string, path: string, { headers, ...sent }: Sent = {}) =>
    send(running.port, `/v1${path}`, { ...sent, headers: { Authorization: `Bearer ${token}`, ...headers } });

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  it("are limited by principal, and read what remains", async () => {
    const answers = await Promise.all(Array.from({ length: 21 }, () => as("busy", "/things")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers).toMatchObject({
      "retry-after": expect.any(String),
      "x-ratelimit-remaining": "0",
      "ratelimit-policy": '"minute";q=20;w=60',
    });
    expect(refused?.headers["content-type"]).toBe("application/problem+json");
    expect((await as("calm", "/things")).status).toBe(200);
  });

  it("are limited by the address before the proxy without credentials", async () => {
    const from = (address: string) => send(running.port, "/v1/things", { headers: { "X-Forwarded-For": address } });
    const first = await from("192.0.2.1, 203.0.113.9");
    const second = await from("198.51.100.7, 203.0.113.9");
    const other = await from("203.0.113.9, 192.0.2.1");
    expect([first, second, other].map(({ headers }) => headers["x-ratelimit-remaining"])).toEqual(["19", "18", "19"]);
  });

  it("act in another tenant if they may", async () => {
    const body = JSON.stringify({ name: "of b" });
    const created = await as("root", "/things", { method: "POST", headers: { ...json, "X-Tenant-ID": "b" }, body });
    expect(created.status).toBe(201);
    expect((await as("root", "/things/1", { headers: { "X-Tenant-ID": "b" } })).status).toBe(200);
    expect((await as("ann", "/things/1", { headers: { "X-Tenant-ID": "b" } })).status).toBe(404);
  });

  it("ask for another method if they may", async () => {
    const body = JSON.stringify({ name: "new" });
    await as("root", "/things", { method: "POST", headers: json, body: JSON.stringify({ name: "old" }) });
    const patch = { method: "POST", headers: { "X-HTTP-Method-Override": "PATCH", "Content-Type": "application/merge-patch+json" }, body };
    const list = JSON.parse((await as("root", "/things")).body.toString());
    const path = `/things/${list.data[0].id}`;
    expect((await as("ann", path, patch)).status).toBe(403);
    const patched = await as("root", path, patch);
    expect([patched.status, JSON.parse(patched.body.toString()).name]).toEqual([200, "new"]);
    expect((await as("root", `${path}?_method=DELETE`, { method: "POST" })).status).toBe(204);
  });

  it("with an old version are refused", async () => {
    expect((await as("ann", "/things", { headers: { "X-Client-Version": "1.9.9" } })).status).toBe(400);
    expect((await as("ann", "/things", { headers: { "X-Client-Version": "2.0.1" } })).status).toBe(200);
  });
}
