import { belongsTo, defineResource, hasMany, type Verifier } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { faultyBlobs, faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Operation } from "../../../src/engine/operation/operation.js";
import type { Route } from "../../../src/engine/operation/route.js";
import { Receiver } from "../../capabilities/webhooks/emissionStage.js";
import { clientOf } from "../../tools/client.js";
import { type FullServiceOptions, fullService, routesOf } from "../../tools/fullService.js";

const users = defineResource("users", {
  schema: z.object({ id: z.int(), name: z.string(), status: z.enum(["active", "inactive"]).default("active") }),
  generated: { id: "increment" },
  relations: { orders: hasMany("orders", "customerId") },
});

const orders = defineResource("orders", {
  schema: z.object({ id: z.string(), customerId: z.int().optional(), total: z.number().default(0) }),
  relations: { customer: belongsTo("users", "customerId") },
  events: { "order.created": { on: "create", data: ({ total }) => ({ total }) } },
});

const ann = { id: "ann" };

/** A service of everything, and how often its stores were asked. */
function everything(options: Partial<FullServiceOptions> = {}) {
  const storage = faultyStorage(memoryStorage());
  const blobs = faultyBlobs(memoryBlobs(), storage);
  const service = fullService({
    resources: [users, orders],
    storage,
    blobs,
    auth: [bearer((token) => (token === "ann" ? ann : undefined))],
    jobs: { work: false },
    uploads: { types: "any", forms: { avatars: { types: "any" } } },
    webhooks: { transport: new Receiver(), work: false },
    probes: { health: "/health", ready: "/ready" },
    ...options,
  });
  const client = clientOf(service);
  const headers = { authorization: "Bearer ann" };
  const send = (method: string, target: string, body?: unknown, more: Readonly<Record<string, string>> = {}) =>
    client({ method, target, headers: { ...headers, ...more }, body });
  return { service, client, send, calls: () => storage.calls };
}

const table: readonly Route[] = routesOf(everything().service);
const operations = table.flatMap(({ segments, operations: those }) =>
  those.map((operation): [string, string, Operation] => [operation.method, `/${segments.map((segment) => segment ?? "1").join("/")}`, operation]),
);

/** A signed address has parameters of its own, and is refused by its signature; probes are asked by load balancers, which add what they like. */
const exempt = new Map([
  ["uploads.putDirect", 403],
  ["health", 200],
  ["ready", 200],
]);

describe("a parameter that a path does not have", () => {
  test("there are all kinds of operations in the table", () => {
    const names = new Set(operations.map(([, , { name }]) => name.split(".").at(-1)));
    expect(operations.length).toBeGreaterThan(60);
    expect([...names]).toEqual(
      expect.arrayContaining(["create", "replace", "batchRemove", "removeMany", "import", "append", "rotateSecret", "cancel"]),
    );
  });

  test.each(operations)("%s %s is 400 before the stores are asked", async (method, path, { name, body }) => {
    const { service, send, calls } = everything();
    await service.start();
    const before = calls();
    const headers = { "idempotency-key": "key-1234567890123456", "content-type": body?.supported[0] ?? "application/json" };
    const refused = await send(method, `${path}?surprise=true`, "{}", headers);
    const expected = exempt.get(name);
    if (expected !== undefined) return expect(refused.status).toBe(expected);
    expect([refused.status, refused.json.code, refused.json.errors[0].parameter]).toEqual([400, "UNKNOWN_FIELD", "surprise"]);
    expect(calls()).toBe(before);
  });

  test("does not delete, change or create", async () => {
    const { send } = everything();
    expect((await send("POST", "/users", { name: "Ada" })).status).toBe(201);
    const refused = [
      await send("DELETE", "/users/1?dryRun=true"),
      await send("DELETE", "/users/1?status=inactive"),
      await send("PATCH", "/users/1?dryRun=true", { name: "Bob" }),
      await send("PUT", "/users/1?if=1", { name: "Bob" }),
      await send("POST", "/users?dryRun=true", { name: "Bob" }),
      await send("POST", "/users/batch-delete?dryRun=true", { ids: [1] }),
      await send("POST", "/users/batch?dryRun=true", { items: [{ name: "Bob" }] }),
      await send("PATCH", "/users/batch?dryRun=true", { items: [{ id: 1, name: "Bob" }] }),
      await send("POST", "/batch?dryRun=true", { operations: [{ method: "DELETE", url: "/users/1" }] }),
      await send("PUT", "/users/1/orders/7?dryRun=true", { total: 1 }),
      await send("HEAD", "/users/1?dryRun=true"),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
    const rows = await send("GET", "/users");
    expect(rows.json.data).toMatchObject([{ id: 1, name: "Ada", status: "active" }]);
    expect((await send("GET", "/orders")).json.data).toEqual([]);
  });

  test("is refused in the url of an operation of a batch", async () => {
    const { send } = everything();
    await send("POST", "/users", { name: "Ada" });
    const answered = await send("POST", "/batch", { operations: [{ method: "DELETE", url: "/users/1?dryRun=true" }] });
    expect(answered.json.results[0]).toMatchObject({ status: 400, error: { code: "UNKNOWN_FIELD" } });
    expect((await send("GET", "/users/1")).status).toBe(200);
  });

  test("leaves the key free for the request that is meant", async () => {
    const { send } = everything();
    const keyed = { "idempotency-key": "key-1234567890123456" };
    expect((await send("POST", "/users?dryRun=true", { name: "Ada" }, keyed)).status).toBe(400);
    const created = await send("POST", "/users", { name: "Ada" }, keyed);
    expect([created.status, created.headers["idempotent-replayed"]]).toEqual([201, undefined]);
  });

  test("is told only to who may come in", async () => {
    const { client } = everything();
    expect((await client({ method: "DELETE", target: "/users/1?dryRun=true" })).status).toBe(401);
    const forbidding = everything({ authorize: () => false });
    expect((await forbidding.send("DELETE", "/users/1?dryRun=true")).status).toBe(403);
  });

  test("may be one that is ignored everywhere", async () => {
    const { send } = everything({ lists: { ignoreParameters: ["utm_*"] } });
    expect((await send("POST", "/users?utm_source=mail", { name: "Ada" })).status).toBe(201);
    expect((await send("POST", "/users?utm_source=mail&dryRun=1", { name: "Ada" })).json.errors).toHaveLength(1);
    expect((await send("DELETE", "/users/1?utm_source=mail")).status).toBe(204);
  });

  test("may be one that a verifier takes its credentials from", async () => {
    const linkKey: Verifier = {
      scheme: "Link",
      parameters: ["key"],
      challenge: () => "Link",
      verify: ({ query }) => (query.includes("key=7") ? ann : null),
    };
    const { client } = everything({ auth: [linkKey] });
    expect((await client({ method: "POST", target: "/users?key=7", body: { name: "Ada" } })).status).toBe(201);
    expect((await client({ target: "/users?key=7&name=Ada" })).json.data).toHaveLength(1);
    expect((await client({ method: "DELETE", target: "/users/1?key=7&dryRun=true" })).status).toBe(400);
  });

  test("does not matter to OPTIONS", async () => {
    expect((await everything().send("OPTIONS", "/users/1?anything=1")).status).toBe(204);
  });

  test("is malformed, not unknown, if it cannot be decoded", async () => {
    expect((await everything().send("DELETE", "/users/1?a=%")).json.code).toBe("UNKNOWN_FIELD");
    expect((await everything().send("DELETE", "/users/1?%=a")).json.code).toBe("MALFORMED_QUERY");
  });
});
