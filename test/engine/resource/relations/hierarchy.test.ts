import { belongsTo, ConfigurationError, defineResource, hasMany } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { hierarchies } from "../../../../src/engine/resource/relations/hierarchy.js";
import { linkResources } from "../../../../src/engine/resource/relations/link.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { withScope } from "../../rules/withScope.js";
import { as, auth, create, idsOf, relatedResources, setUpRelated, users, withRows, withRowsIn } from "../relatedResources.js";

describe.each([
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
])("a list below a parent (%s)", (_, open) => {
  test("holds the children, with a total, links and a query language of its own", async () => {
    const { send, service } = await withRows({ storage: open() });
    const list = await send({ target: "/users/1/orders?sort=-total&perPage=2", mount: "/v1" });
    expect(idsOf(list.json)).toEqual([2, 3]);
    expect(list.json.meta).toMatchObject({ total: 3, pages: 2 });
    expect(list.json.links.next).toMatch(/^\/v1\/users\/1\/orders\?sort=-total&perPage=2&/);
    expect(idsOf((await send({ target: "/users/1/orders?status=open" })).json)).toEqual([1, 3]);
    expect(idsOf((await send({ target: "/users/1/orders?customerId=3" })).json)).toEqual([]);
    expect(idsOf((await send({ target: "/users/2/orders" })).json)).toEqual([]);
    expect((await send({ target: "/users/1/orders?statos=open" })).json.code).toBe("UNKNOWN_FIELD");
    await service.close();
  });

  test("is searched by a body, and walked by cursors that hold for it alone", async () => {
    const { send, service } = await withRows({ storage: open() });
    const body = { filter: { total: { gte: 6 } }, sort: "-total" };
    expect(idsOf((await send({ method: "QUERY", target: "/users/1/orders", body })).json)).toEqual([2, 3]);
    const first = (await send({ target: "/users/1/orders?perPage=2" })).json;
    const cursor = encodeURIComponent(first.meta.nextCursor);
    expect(idsOf((await send({ target: `/users/1/orders?perPage=2&cursor=${cursor}` })).json)).toEqual([3]);
    for (const path of ["/users/3/orders", "/orders"]) {
      expect((await send({ target: `${path}?perPage=2&cursor=${cursor}` })).json.code).toBe("INVALID_CURSOR");
    }
    await service.close();
  });

  test("reaches three parents deep, and no deeper", async () => {
    const { send, service } = await withRows({ storage: open() });
    expect(idsOf((await send({ target: "/companies/a/users" })).json)).toEqual([1, 2]);
    expect(idsOf((await send({ target: "/companies/a/users/1/orders" })).json)).toEqual([1, 2, 3]);
    expect(idsOf((await send({ target: "/companies/a/users/1/orders/1/items" })).json)).toEqual(["x1", "x2"]);
    expect((await send({ target: "/companies/a/users/1/orders/1/items/x1" })).json.title).toBe("X1");
    expect((await send({ target: "/users/1/reports/2/reports/3/reports" })).status).toBe(200);
    await expect(send({ target: "/users/1/reports/2/reports/3/reports/4/reports" })).rejects.toThrow("No route");
    await service.close();
  });
});

describe("a parent", () => {
  test.each([
    ["/users/9/orders", "/users/9"],
    ["/users/x/orders/1", "/users/x"],
    ["/companies/zz/users/1/orders", "/companies/zz"],
    ["/companies/a/users/9/orders", "/users/9"],
  ])("that is missing answers as GET of it: %s", async (target, parent) => {
    const { send } = await withRows();
    const headers = { "x-request-id": "r" };
    const [refused, missing] = [await send({ target, headers }), await send({ target: parent, headers })];
    expect([refused.status, refused.text]).toEqual([404, missing.text]);
  });

  test.each([
    ["/companies/b/users/1/orders", 'There is no "1" in "users".'],
    ["/companies/b/users/1/orders/1", 'There is no "1" in "users".'],
    ["/companies/a/users/1/orders/4/items", 'There is no "4" in "orders".'],
    ["/companies/a/users/3/orders/4/items", 'There is no "3" in "users".'],
  ])("that is no child of the one above is missing: %s", async (target, detail) => {
    const refused = await (await withRows()).send({ target });
    expect([refused.status, refused.json.code, refused.json.detail]).toEqual([404, "NOT_FOUND", detail]);
  });

  test("outside of its scope is missing, and one whose collection authorize refuses is 403", async () => {
    const authorize: FullServiceOptions["authorize"] = ({ principal, collection }) => principal.id !== "other" || collection !== "users";
    const scoped = withScope(users, () => ({ id: { ne: 1 } }));
    const { send } = await withRowsIn([scoped], { auth, authorize });
    const hidden = await send({ target: "/users/1/orders", headers: as("clerk") });
    const missing = await send({ target: "/users/9/orders", headers: as("clerk") });
    expect(hidden.status).toBe(404);
    expect(hidden.text.replace('\\"1\\"', "X")).toBe(missing.text.replace('\\"9\\"', "X"));
    expect((await send({ target: "/users/2/orders", headers: as("clerk") })).status).toBe(200);
    const refused = await send({ target: "/users/3/orders/4", headers: as("other") });
    expect([refused.status, refused.json.code]).toEqual([403, "FORBIDDEN"]);
    expect((await send({ target: "/users/1/orders", headers: as("admin") })).status).toBe(200);
  });

  test("of another tenant is missing", async () => {
    const { send } = await withRows({ auth });
    for (const target of ["/users/1/orders", "/users/1/orders/1", "/companies/a/users"]) {
      expect((await send({ target, headers: as("other") })).status).toBe(404);
      expect((await send({ target, headers: as("admin") })).status).toBe(200);
    }
    const refused = await send({ method: "POST", target: "/users/1/orders", headers: as("other"), body: {} });
    expect([refused.status, refused.json.code]).toEqual([404, "NOT_FOUND"]);
  });

  test("is asked for once, and the child's list once", async () => {
    const { send, callsOf } = await withRows();
    expect(await callsOf(() => send({ target: "/companies/a/users/1/orders" }))).toEqual(["companies.get", "users.get", "orders.findAndCount"]);
  });
});

describe("methods", () => {
  test("are those of the collection and of the row", async () => {
    const { send } = await withRows({ auth });
    for (const [below, own] of [
      ["/users/1/orders", "/orders"],
      ["/users/1/orders/1", "/orders/1"],
      ["/companies/a/users/1/orders/1", "/orders/1"],
    ] as const) {
      const [here, there] = [await send({ method: "OPTIONS", target: below }), await send({ method: "OPTIONS", target: own })];
      expect(here.status).toBe(204);
      // Batches have the paths of their own collections only.
      const allow = there.headers["allow"] === "GET, HEAD, POST, DELETE, QUERY, OPTIONS" ? "GET, HEAD, POST, QUERY, OPTIONS" : there.headers["allow"];
      expect([here.headers["allow"], here.headers["accept-patch"]]).toEqual([allow, there.headers["accept-patch"]]);
    }
    const refused = await send({ method: "DELETE", target: "/users/1/orders", headers: as("admin") });
    expect([refused.status, refused.headers["allow"]]).toEqual([405, "GET, HEAD, POST, QUERY, OPTIONS"]);
  });

  test("take the same media types", async () => {
    const { send } = await withRows();
    const headers = { "content-type": "text/plain" };
    expect((await send({ method: "POST", target: "/users/1/orders", body: "{}", headers })).status).toBe(415);
    expect((await send({ method: "PATCH", target: "/users/1/orders/1", body: "{}", headers })).headers["accept-patch"]).toContain("merge-patch");
  });

  test("are asked of authorize as those of the child, once for the parent", async () => {
    const asked: string[] = [];
    const { send } = await withRows({
      authorize: ({ action, collection, fields }) => {
        asked.push(`${collection}.${action}${fields ? ` [${fields.join()}]` : ""}`);
        return true;
      },
    });
    asked.length = 0;
    await send({ target: "/users/1/orders" });
    await send({ method: "POST", target: "/users/1/orders", body: { total: 1 } });
    await send({ method: "DELETE", target: "/users/1/orders/1" });
    expect(asked).toEqual([
      ...["orders.list", "users.read"],
      ...["orders.create", "users.read", "orders.create [total,customerId]"],
      ...["orders.remove", "users.read"],
    ]);
  });
});

test("a path bears the name of the relation, whatever the collection is called", async () => {
  const teams = defineResource("teams", { schema: z.object({ id: z.string() }), relations: { members: hasMany("people", "teamId") } });
  const people = defineResource("people", {
    schema: z.object({ id: z.string(), teamId: z.string().optional() }),
    relations: { team: belongsTo("teams", "teamId", { enforce: false }) },
  });
  const { send } = setUpRelated({ resources: [teams, people] });
  await create(send, "teams", [{ id: "t/1" }]);
  const created = await send({ method: "POST", target: "/teams/t%2F1/members", body: { id: "p" } });
  expect([created.headers["location"], created.json.teamId]).toEqual(["/people/p", "t/1"]);
  expect((await send({ target: "/teams/t%2F1/members/p" })).status).toBe(200);
});

test("the ways down from a resource are all chains of its relations to many, three parents long at most", () => {
  const linked = linkResources(relatedResources);
  const waysOf = (name: string, depth?: number) => {
    const resource = linked.get(name);
    if (resource === undefined) throw new Error(name);
    return hierarchies(resource, depth).map((ancestors) => ancestors.map(({ relation }) => relation.name).join("/"));
  };
  expect(waysOf("items")).toEqual([]);
  expect(waysOf("orders")).toEqual(["items"]);
  expect(waysOf("users", 2)).toEqual(["reports", "orders", "notes", "reports/reports", "reports/orders", "reports/notes", "orders/items"]);
  expect(waysOf("users")).toHaveLength(11);
  expect(Math.max(...waysOf("companies").map((way) => way.split("/").length))).toBe(3);
});

describe("a relation to many that is called", () => {
  const childrenOf = (relation: string, more = {}) => {
    const parents = defineResource("parents", {
      schema: z.object({ id: z.string(), ...more }),
      relations: { [relation]: hasMany("children", "parentId") },
    });
    const children = defineResource("children", {
      schema: z.object({ id: z.string(), parentId: z.string() }),
      relations: { batch: belongsTo("parents", "parentId", { enforce: false }) },
    });
    return () => fullService({ resources: [parents, children], storage: memoryStorage() });
  };

  test.each(["batch", "batch-delete", "bulk-update", "import", "export"])("as the fixed word %s is refused at start-up", (word) => {
    expect(childrenOf(word)).toThrow(ConfigurationError);
    expect(childrenOf(word)).toThrow(`parents: the relation "${word}" has a reserved name`);
  });

  test.each(["", "a/b", "a b", "é", "1a"])("%j is refused at start-up, being no path", (name) => {
    expect(childrenOf(name)).toThrow(/cannot name a path/);
  });

  test("so that its flag would be a field is refused at start-up", () => {
    expect(childrenOf("kids", { kidsTruncated: z.boolean() })).toThrow(/needs the member "kidsTruncated"/);
    expect(childrenOf("kids")).not.toThrow();
  });
});
