import { belongsTo, defineResource, hasMany } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

const users = defineResource("users", {
  schema: z.object({ id: z.int(), name: z.string() }),
  generated: { id: "increment" },
  relations: { orders: hasMany("orders", "userId") },
  cache: { private: true, maxAge: 20, staleWhileRevalidate: 5 },
});
const orders = defineResource("orders", {
  schema: z.object({ id: z.int(), userId: z.int(), placeId: z.int().optional() }),
  generated: { id: "increment" },
  relations: { user: belongsTo("users", "userId", { filter: ["name"] }), place: belongsTo("places", "placeId", { filter: ["name"] }) },
  cache: { private: true, maxAge: 60, staleWhileRevalidate: 30 },
});
/** A collection without a rule. */
const places = defineResource("places", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const secrets = defineResource("secrets", { schema: z.object({ id: z.int() }), generated: { id: "increment" }, cache: { noStore: true } });

const people = new Map(["ann", "bob"].map((id) => [id, { id }]));
const auth = [bearer((token) => people.get(token))];

async function stage(verifiers = auth) {
  const service = fullService({
    resources: [users, orders, places, secrets],
    storage: memoryStorage(),
    auth: verifiers,
    blobs: memoryBlobs(),
    logger: false,
  });
  const send = clientOf(service);
  const as = (method: string, target: string, body?: unknown, headers = {}) =>
    send({ method, target, body, headers: { ...(verifiers.length > 0 && { authorization: "Bearer ann" }), ...headers } });
  await as("POST", "/users", { name: "Ada" });
  await as("POST", "/places", { name: "Berlin" });
  await as("POST", "/orders", { userId: 1, placeId: 1 });
  await as("POST", "/secrets", {});
  const controlOf = async (target: string, method = "GET") => (await as(method, target)).headers["cache-control"];
  return { as, send, controlOf };
}

const own = "private, max-age=60, stale-while-revalidate=30";
const withUser = "private, max-age=20, stale-while-revalidate=5";
const unruled = "private, no-cache";

describe("the answers of a collection with a rule", () => {
  test.each([
    ["a row", "/orders/1", own],
    ["a list", "/orders", own],
    ["a view", "/orders?fields=id", own],
    ["a filter", "/orders?userId=1", own],
    ["another collection with a rule", "/users/1", withUser],
    ["a collection without a rule", "/places/1", unruled],
    ["a collection that is never stored", "/secrets", "no-store"],
    ["a row with a related one", "/orders/1?include=user", withUser],
    ["a list with related rows", "/orders?include=user", withUser],
    ["a list of another collection with its rows", "/users?include=orders", withUser],
    ["a row with a related one without a rule", "/orders/1?include=place", unruled],
    ["a list with two of them", "/orders?include=user,place", unruled],
    ["a list with related rows of related rows", "/users?include=orders.place", unruled],
    ["a list that is filtered by related rows", "/orders?user.name=Ada", withUser],
    ["a list that is filtered by related rows without a rule", "/orders?place.name=Berlin", unruled],
    ["a list below a row", "/users/1/orders", withUser],
    ["a row below a row", "/users/1/orders/1", withUser],
  ])("have the strictest rule of what took part: %s", async (_, target, expected) => {
    const { as, controlOf } = await stage();
    const { status, headers } = await as("GET", target);
    expect([status, headers["cache-control"]]).toEqual([200, expected]);
    expect(headers["vary"]).toBe("Authorization");
    expect(await controlOf(target, "HEAD")).toBe(expected);
    const again = await as("GET", target, undefined, { "if-none-match": String(headers["etag"]) });
    expect([again.status, again.headers["cache-control"], again.headers["vary"]]).toEqual([304, expected, "Authorization"]);
  });

  test("are not private without verifiers", async () => {
    const { controlOf } = await stage([]);
    expect([await controlOf("/orders/1"), await controlOf("/places")]).toEqual([own, "no-cache"]);
  });

  test.each([
    ["a missing row", "GET", "/orders/9", undefined, 404],
    ["a missing row below a row", "GET", "/users/1/orders/9", undefined, 404],
    ["a query that is wrong", "GET", "/orders?nope=1", undefined, 400],
    ["a failed precondition", "GET", "/orders/1", { "if-match": '"x"' }, 412],
    ["wrong credentials", "GET", "/orders/1", { authorization: "Bearer eve" }, 401],
    ["a missing method", "PATCH", "/orders", undefined, 405],
    ["an export", "GET", "/orders/export", undefined, 200],
  ])("are never stored: %s", async (_, method, target, headers, status) => {
    const { as } = await stage();
    const answer = await as(method, target, undefined, headers);
    expect([answer.status, answer.headers["cache-control"]]).toEqual([status, "no-store"]);
  });

  test("are never stored: searches, QUERY, batches and replays", async () => {
    const { as } = await stage();
    const key = { "idempotency-key": "0123456789abcdef" };
    await as("POST", "/orders", { userId: 1 }, key);
    const answers = [
      await as("POST", "/searches", { collection: "orders" }),
      await as("QUERY", "/orders", {}),
      await as("POST", "/batch", { operations: [{ method: "GET", url: "/orders/1" }] }),
      await as("POST", "/orders", { userId: 1 }, key),
    ];
    expect(answers.map(({ status, headers }) => [status, headers["cache-control"]])).toEqual(
      [200, 200, 200, 201].map((status) => [status, "no-store"]),
    );
    expect(answers[2]?.text).not.toContain("max-age");
  });

  test.each([
    ["POST", "/orders", { userId: 1 }],
    ["PATCH", "/orders/1", { placeId: null }],
    ["PUT", "/orders/1", { userId: 1 }],
    ["DELETE", "/orders/1", undefined],
  ])("of %s keep the default", async (method, target, body) => {
    const { as } = await stage();
    expect((await as(method, target, body)).headers["cache-control"]).toBe("private, no-cache");
  });
});
