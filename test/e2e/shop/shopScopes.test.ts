// @long

import { beforeEach, describe, expect, test } from "vitest";
import { type Ask, anonymized, endOfJob, fillShop, idsOf, openScopedShop } from "./scopeStage.js";
import { shopStores } from "./shopPlaces.js";

const csv = { "content-type": "text/csv" };

describe.each(shopStores)("scopes of the shop on %s", (_, open) => {
  let ask: Ask;
  beforeEach(async () => {
    ask = await openScopedShop(open);
    await fillShop(ask);
  });
  const codes = async (answer: ReturnType<Ask>) => {
    const { status, json } = await answer;
    return [status, json.code];
  };

  test("clerks list the customers of their region, and their orders; admins all of their tenant", async () => {
    const expected: [who: string, users: number[], orders: number[]][] = [
      ["alice", [1, 2, 3, 4], [1, 2, 3, 4]],
      ["ruth", [1, 2, 3, 4], [1, 2, 3, 4]],
      ["carol", [1, 3], [1, 3]],
      ["sven", [2], [2]],
      ["bob", [5], [5]],
      ...["nils", "liz", "olga", "gus", "root"].map((who): [string, number[], number[]] => [who, [], []]),
    ];
    for (const [who, users, orders] of expected) {
      expect(await idsOf(ask, who, "/users?fields=id"), who).toEqual(users);
      expect(await idsOf(ask, who, "/orders?fields=id"), who).toEqual(orders);
      const counted = await ask(who, "GET /orders?count=exact&perPage=1");
      expect([counted.json.meta.total, counted.headers["x-total-count"]], who).toEqual([orders.length, String(orders.length)]);
    }
    expect(await idsOf(ask, "carol", "/users?region=south&fields=id")).toEqual([]);
    expect(await idsOf(ask, "carol", "/orders?customer.name=Ben&fields=id")).toEqual([]);
    expect(await idsOf(ask, "carol", "/orders?customer.name=Cleo&fields=id")).toEqual([3]);
    expect(await idsOf(ask, "carol", "/users/1/orders?fields=id")).toEqual([1]);
    const included = await ask("carol", "GET /users?include=orders&fields=id&fields[orders]=id");
    expect(included.json.data).toEqual([
      { id: 1, orders: [{ id: 1 }] },
      { id: 3, orders: [{ id: 3 }] },
    ]);
  });

  test("a row outside is answered like a row that does not exist", async () => {
    const requests: [method: string, path: string, rest: string, body?: object][] = [
      ["GET", "/users", ""],
      ["GET", "/orders", "?include=customer"],
      ["GET", "/users", "/orders"],
      ["GET", "/users", "/orders/5"],
      ["PATCH", "/users", "", { name: "Mine" }],
      ["PATCH", "/orders", "", { status: "paid" }],
      ["PUT", "/orders", "", { customerId: 1, total: 1, currency: "EUR" }],
      ["DELETE", "/orders", ""],
      ["DELETE", "/users", ""],
    ];
    for (const [method, path, rest, body] of requests) {
      const hidden = await ask("carol", `${method} ${path}/2${rest}`, body);
      const missing = await ask("carol", `${method} ${path}/9${rest}`, body);
      expect(hidden.status, `${method} ${path}${rest}`).toBe(404);
      expect(anonymized(hidden, 2), `${method} ${path}${rest}`).toBe(anonymized(missing, 9));
    }
    expect((await ask("alice", "GET /users/2")).json).toMatchObject({ name: "Ben" });
    expect((await ask("alice", "GET /orders/2")).json).toMatchObject({ status: "open" });
    expect((await ask("carol", "GET /users/3", undefined, { "x-api-version": "v2" })).json).toMatchObject({ name: { givenName: "Cleo" } });
    expect((await ask("carol", "GET /users/2", undefined, { "x-api-version": "v2" })).status).toBe(404);
    expect((await ask("carol", "GET /users", undefined, { accept: "application/xml" })).text).not.toContain("Ben");
  });

  test("clerks create and change customers of their region only, and orders of customers that they see", async () => {
    const user = { name: "Fay", email: "fay@example.com" };
    expect(await codes(ask("carol", "POST /users", { ...user, region: "south" }))).toEqual([403, "OUT_OF_SCOPE"]);
    expect(await codes(ask("carol", "POST /users", user))).toEqual([403, "OUT_OF_SCOPE"]);
    expect(await codes(ask("nils", "POST /users", user))).toEqual([403, "OUT_OF_SCOPE"]);
    const fay = await ask("carol", "POST /users", { ...user, region: "north" });
    expect([fay.status, fay.json]).toEqual([201, expect.objectContaining({ region: "north" })]);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect((await ask("carol", "POST /users", "name=Guy&email=guy@example.com&region=north", form)).status).toBe(201);
    expect(await codes(ask("carol", "POST /users", "name=Hal&email=hal@example.com&region=south", form))).toEqual([403, "OUT_OF_SCOPE"]);
    const v2 = { name: { givenName: "Ida" }, email: "ida@example.com" };
    expect(await codes(ask("carol", "POST /users", { ...v2, region: "south" }, { "x-api-version": "v2" }))).toEqual([403, "OUT_OF_SCOPE"]);
    expect((await ask("carol", "POST /users", { ...v2, region: "north" }, { "x-api-version": "v2" })).status).toBe(201);
    expect(await codes(ask("carol", "POST /users", { name: "Ben", email: "ben@example.com", region: "north" }))).toEqual([422, "DUPLICATE_EMAIL"]);

    expect((await ask("carol", "PATCH /users/1", { name: "Ada L." })).status).toBe(200);
    expect(await codes(ask("carol", "PATCH /users/1", { region: "south" }))).toEqual([403, "OUT_OF_SCOPE"]);
    expect(await codes(ask("carol", "PATCH /users/1", { region: null }))).toEqual([403, "OUT_OF_SCOPE"]);
    expect((await ask("alice", "GET /users/1")).json).toMatchObject({ name: "Ada L.", region: "north" });

    const order = { total: 1, currency: "EUR" };
    const mine = await ask("carol", "POST /orders", { ...order, customerId: 1 });
    expect([mine.status, mine.json]).toEqual([201, expect.objectContaining({ createdBy: "carol" })]);
    for (const customerId of [2, 99]) {
      expect((await ask("carol", "POST /orders", { ...order, customerId })).json.errors).toMatchObject([{ code: "UNKNOWN_REFERENCE" }]);
      expect((await ask("carol", "PATCH /orders/1", { customerId })).json.errors).toMatchObject([{ code: "UNKNOWN_REFERENCE" }]);
    }
    // The customer moves away, and the orders with it.
    expect((await ask("alice", "PATCH /users/3", { region: "south" })).status).toBe(200);
    expect(await idsOf(ask, "sven", "/orders?fields=id")).toEqual([2, 3]);
    expect((await ask("carol", "GET /orders/3")).status).toBe(404);
  });

  test("orders are stamped with their creator, whom no client may set", async () => {
    const order = { customerId: 1, total: 1, currency: "EUR" };
    expect(await codes(ask("alice", "POST /orders", { ...order, createdBy: "carol" }))).toEqual([422, "VALIDATION_FAILED"]);
    expect((await ask("alice", "PATCH /orders/1", { createdBy: "carol" })).json).toMatchObject({ createdBy: "alice" });
    const { id } = (await ask("carol", "POST /orders", order)).json;
    expect((await ask("alice", `PATCH /orders/${id}`, { note: "Seen" })).json).toMatchObject({ createdBy: "carol", note: "Seen" });
    expect((await ask("alice", `PUT /orders/${id}`, { ...order, total: 2 })).json).toMatchObject({ createdBy: "carol", total: 2 });
    expect(await idsOf(ask, "alice", "/orders?createdBy=carol&fields=id")).toEqual([id]);
    expect(await idsOf(ask, "sven", "/orders?createdBy=alice&fields=id")).toEqual([2]);
  });

  test("searches and full texts find rows inside only", async () => {
    const names = async (who: string, line: string, body: object) => (await ask(who, line, body)).json.data.map(({ name }) => name);
    const either = { filter: { or: [{ name: "Ben" }, { name: "Ada" }] }, fields: "name", sort: "name" };
    expect(await names("carol", "POST /searches", { collection: "users", ...either })).toEqual(["Ada"]);
    expect(await names("carol", "QUERY /users", either)).toEqual(["Ada"]);
    expect(await names("alice", "QUERY /users", either)).toEqual(["Ada", "Ben"]);
    expect(await names("bob", "QUERY /users", either)).toEqual([]);
    expect(await idsOf(ask, "carol", "/users?q=example.com&fields=id")).toEqual([1, 3]);
    expect(await idsOf(ask, "carol", "/orders?q=For&fields=id")).toEqual([1, 3]);
    expect(await idsOf(ask, "sven", "/orders?q=Ada&fields=id")).toEqual([]);
  });

  test("exports have rows inside only, at once and as files", async () => {
    const linesOf = (text: string) => text.trim().split("\r\n").slice(1);
    const query = "format=csv&fields=id&sort=id";
    const expected: [string, string[]][] = [
      ["alice", ["1", "2", "3", "4"]],
      ["carol", ["1", "3"]],
      ["bob", ["5"]],
      ["nils", []],
    ];
    for (const [who, ids] of expected) {
      expect(linesOf((await ask(who, `GET /users/export?${query}`)).text), who).toEqual(ids);
      expect(linesOf((await ask(who, `GET /orders/export?${query}`)).text), who).toEqual(ids);
      const accepted = await ask(who, "POST /exports", { collection: "orders", format: "csv", fields: ["id"], sort: ["id"] });
      expect(accepted.status, accepted.text).toBe(202);
      const { json } = await endOfJob(ask, who, accepted.headers["location"]);
      expect(json, who).toMatchObject({ status: "completed", result: { rows: ids.length } });
      expect(linesOf((await ask(who, `GET ${json.result.downloadUrl}`)).text), who).toEqual(ids);
    }
  });

  test("batches change and name rows inside only", async () => {
    const statuses = async (who: string, line: string, body: object) => (await ask(who, line, body)).json.results.map(({ status }) => status);
    const users = ["north", "south", undefined].map((region, index) => ({ name: "Jo", email: `jo${index}@example.com`, region }));
    expect(await statuses("carol", "POST /users/batch", { items: users })).toEqual([201, 403, 403]);
    const changes = { status: "paid" };
    expect(await statuses("carol", "PATCH /orders/batch", { items: [1, 2, 9].map((id) => ({ id, changes })) })).toEqual([200, 404, 404]);
    expect(await statuses("carol", "POST /orders/batch-delete", { ids: [2, 3, 9] })).toEqual([404, 204, 404]);
    const orders = [1, 2].map((customerId) => ({ customerId, total: 1, currency: "EUR" }));
    expect(await statuses("carol", "POST /orders/batch", { items: orders })).toEqual([201, 422]);

    expect((await ask("carol", "POST /orders/bulk-update?total[gt]=0&dryRun=true", { note: "Late" })).json).toMatchObject({ matched: 2 });
    expect((await ask("carol", "POST /orders/bulk-update?total[gt]=0", { note: "Late" })).json).toMatchObject({ summary: { succeeded: 2 } });
    expect(await idsOf(ask, "alice", "/orders?note=Late&fields=id")).toHaveLength(2);
    expect((await ask("carol", "DELETE /orders?total[gt]=0")).json).toMatchObject({ code: "CONFIRMATION_REQUIRED", matched: 2 });
    expect((await ask("carol", "DELETE /orders?total[gt]=0&confirm=2")).json).toMatchObject({ summary: { succeeded: 2 } });
    expect(await idsOf(ask, "alice", "/orders?fields=id")).toEqual([2, 4]);

    const kim = { name: "Kim", email: "kim@example.com", region: "north" };
    const order = { customerId: { $result: "kim.id" }, total: 1, currency: "EUR" };
    const operations = [
      { name: "kim", method: "POST", url: "/users", body: kim },
      { method: "POST", url: "/orders", body: order },
      { method: "GET", url: "/users/2" },
      { method: "PATCH", url: "/orders/2", body: { status: "void" } },
    ];
    expect(await statuses("carol", "POST /batch", { operations })).toEqual([201, 201, 404, 404]);
    expect((await ask("alice", "GET /orders/2")).json).toMatchObject({ status: "open" });
  });

  test("imports add and change rows inside only", async () => {
    const run = async (who: string, query: string, file: string) => {
      const { json } = await ask(who, `POST /users/import${query}`, file, csv);
      return [json.result, json.errors.map(({ code }) => code)];
    };
    const rows = "name,email,region\nLea,lea@example.com,north\nMax,max@example.com,south\nNia,nia@example.com,\n";
    expect(await run("carol", "", rows)).toEqual([expect.objectContaining({ created: 1, failed: 2 }), ["OUT_OF_SCOPE", "OUT_OF_SCOPE"]]);
    const known = "name,email,region\nAda L.,ada@example.com,north\nMine,ben@example.com,north\n";
    expect(await run("carol", "?mode=update&key=email", known)).toEqual([expect.objectContaining({ updated: 1, failed: 1 }), ["NOT_FOUND"]]);
    expect(await run("carol", "?mode=upsert&key=email", known)).toEqual([expect.objectContaining({ created: 0, failed: 1 }), ["DUPLICATE_EMAIL"]]);
    const accepted = await ask("carol", "POST /imports?collection=users", rows.replaceAll("@", "2@"), csv);
    expect((await endOfJob(ask, "carol", accepted.headers["location"])).json).toMatchObject({
      status: "completed",
      result: { created: 1, failed: 2 },
    });
    expect((await ask("alice", "GET /users?fields=name&sort=id")).json.data.map(({ name }) => name)).toEqual([
      "Ada L.",
      "Ben",
      "Cleo",
      "Dan",
      "Lea",
      "Lea",
    ]);
  });
});
