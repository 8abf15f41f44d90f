import { describe, expect, test } from "vitest";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { as, openShop, outcomesOf, shopAuth, statusesOf, strict } from "../batchShop.js";

const modes: readonly [string, Record<string, string>][] = [
  ["best effort", {}],
  ["atomic", strict],
];

describe.each(storagePlaces)("POST /batch on %s", (_, place) => {
  test.each(modes)("%s: does operations of every method in order, and each sees what came before", async (_mode, headers) => {
    const { batch, service } = openShop({ storage: (await place()).open() });
    const answer = await batch(
      [
        { name: "ada", method: "POST", url: "/users", body: { name: "Ada", email: "ada@example.org" } },
        { method: "GET", url: "/users/{ada.data.id}" },
        { name: "paged", method: "PUT", url: "/pages/home", body: { title: "Home" } },
        { method: "PATCH", url: "/users/{ada.id}", body: { quantity: 7 } },
        { method: "GET", url: "/users?fields=quantity&quantity=7" },
        { method: "QUERY", url: "/users", body: { filter: { name: "Ada" }, perPage: 1 } },
        { method: "POST", url: "/users/{ada.data.id}/orders", body: { total: 3 } },
        { method: "GET", url: "/users/{ada.data.id}/orders" },
        { method: "DELETE", url: "/pages/{paged.data.slug}" },
        { method: "GET", url: "/pages/home" },
      ].slice(0, headers["prefer"] === undefined ? undefined : 9),
      { headers },
    );
    const { results, summary } = answer.json;
    expect(statusesOf(answer), answer.text).toEqual([201, 200, 201, 200, 200, 200, 201, 200, 204, 404].slice(0, results.length));
    expect(results.map(({ index }: { index: number }) => index)).toEqual([...results.keys()]);
    expect(results[0]).toMatchObject({ name: "ada", id: 1, headers: { location: "/users/1", etag: expect.any(String) }, data: { name: "Ada" } });
    expect(results[1].data).toEqual(results[0].data);
    expect(results[1].headers.etag).toBe(results[0].headers.etag);
    expect(results[4].data.data).toEqual([{ quantity: 7 }]);
    expect(results[5].data.data).toHaveLength(1);
    expect(results[6].data).toMatchObject({ userId: 1, total: 3 });
    expect(results[7].data.data).toEqual([results[6].data]);
    expect(results[8]).toEqual({ index: 8, status: 204 });
    expect(answer.status).toBe(headers["prefer"] === undefined ? 207 : 200);
    expect(summary).toEqual({ total: results.length, succeeded: 9, failed: results.length - 9 });
    await service.close();
  });

  test("atomic: one failure in any place leaves nothing in either collection", async () => {
    const { batch, send, service } = openShop({ storage: (await place()).open() });
    const good: unknown[] = [
      { method: "POST", url: "/users", body: { name: "Ada", email: "a@example.org" } },
      { method: "PUT", url: "/pages/home", body: { title: "Home" } },
      { method: "POST", url: "/orders", body: { userId: 1 } },
    ];
    const bad = { method: "POST", url: "/users", body: { name: "Eve", email: "a@example.org" } };
    for (const at of [0, 1, 3]) {
      const taken = at === 0 ? { method: "DELETE", url: "/pages/none" } : bad;
      const answer = await batch(good.toSpliced(at, 0, taken), { headers: strict });
      expect(answer.status, answer.text).toBe(422);
      expect(answer.json.summary).toEqual({ total: 4, succeeded: 0, failed: 4 });
      const expected: string[] = Array.from({ length: 4 }, () => "424 ROLLED_BACK");
      expected[at] = at === 0 ? "404 NOT_FOUND" : "422 DUPLICATE_EMAIL";
      expect(outcomesOf(answer)).toEqual(expected);
      for (const target of ["/users", "/pages", "/orders"]) expect((await send({ target })).json.data).toEqual([]);
    }
    const answer = await batch(good, { headers: strict });
    expect([answer.status, answer.headers["preference-applied"]]).toEqual([200, "handling=strict"]);
    await service.close();
  });

  test("best effort: one failure keeps its neighbours", async () => {
    const { batch, send, service } = openShop({ storage: (await place()).open() });
    const answer = await batch([
      { method: "POST", url: "/users", body: { name: "Ada", email: "a@example.org" } },
      { method: "POST", url: "/users", body: { name: "Eve", email: "a@example.org" } },
      { method: "PUT", url: "/pages/home", body: { title: "Home" } },
    ]);
    expect([answer.status, outcomesOf(answer)]).toEqual([207, ["201", "422 DUPLICATE_EMAIL", "201"]]);
    expect((await send({ target: "/users?fields=name" })).json.data).toEqual([{ name: "Ada" }]);
    await service.close();
  });
});

describe("references", () => {
  test("stand anywhere in a body, as whole values of any type", async () => {
    const { batch } = openShop();
    const answer = await batch([
      { name: "a", method: "POST", url: "/users", body: { name: "Ada", quantity: 4, extra: { list: [1, { deep: null }] } } },
      {
        method: "POST",
        url: "/users",
        body: {
          name: { $result: "a.data.name" },
          quantity: { $result: "a.data.quantity" },
          extra: { copy: { $result: "a.data.extra" }, second: { $result: "a.data.extra.list.1" }, tag: { $result: "a.headers.ETag" } },
        },
      },
    ]);
    const [first, second] = answer.json.results;
    expect(second.data).toMatchObject({
      name: "Ada",
      quantity: 4,
      extra: { copy: { list: [1, { deep: null }] }, second: { deep: null }, tag: first.headers.etag },
    });
  });

  test("to what failed fail with 424, and so does what refers to them", async () => {
    const { batch, send } = openShop();
    const answer = await batch([
      { name: "a", method: "POST", url: "/users", body: { name: "" } },
      { name: "b", method: "POST", url: "/orders", body: { userId: { $result: "a.id" } } },
      { name: "c", method: "GET", url: "/orders/{b.id}" },
      { name: "d", method: "POST", url: "/users", body: { name: "Dan" } },
      { name: "e", method: "GET", url: "/users/{d.id}" },
    ]);
    expect(outcomesOf(answer)).toEqual(["422 VALIDATION_FAILED", "424 FAILED_DEPENDENCY", "424 FAILED_DEPENDENCY", "201", "200"]);
    expect(answer.json.results[1].error.errors[0]).toMatchObject({ pointer: "/body/userId" });
    expect(answer.json.results[2].error.errors[0]).toMatchObject({ pointer: "/url" });
    expect((await send({ target: "/orders" })).json.data).toEqual([]);
  });

  test.each([
    ["forward", { name: "a", method: "GET", url: "/users/{b.id}" }, "/url"],
    ["to itself", { name: "a", method: "PATCH", url: "/users/1", body: { name: { $result: "a.id" } } }, "/body/name"],
    ["to nothing", { method: "GET", url: "/users/{nobody.id}" }, "/url"],
    ["to the prototype", { method: "GET", url: "/users/{a.data.__proto__.x}" }, "/url"],
  ])("%s are 400 for their operation", async (_, first, pointer) => {
    const { batch } = openShop();
    const answer = await batch([first, { name: "b", method: "POST", url: "/users", body: { name: "Bob" } }]);
    expect(outcomesOf(answer)).toEqual(["400 INVALID_BATCH", "201"]);
    expect(answer.json.results[0].error.errors[0].pointer).toBe(pointer);
  });

  test("to a place that the result does not have are 400 and say what there is", async () => {
    const { batch } = openShop();
    const answer = await batch([
      { name: "a", method: "POST", url: "/users", body: { name: "Ada" } },
      { method: "GET", url: "/users/{a.data.constructor}" },
      { method: "PATCH", url: "/users/1", body: { extra: { x: { $result: "a.data.__proto__" } } } },
    ]);
    expect(outcomesOf(answer)).toEqual(["201", "400 INVALID_BATCH", "400 INVALID_BATCH"]);
    expect(answer.json.results[1].error.errors[0].allowed).toContain("name");
  });

  test("take a name once: of two the later one is refused", async () => {
    const { batch } = openShop();
    const answer = await batch([
      { name: "a", method: "POST", url: "/users", body: { name: "Ada" } },
      { name: "a", method: "POST", url: "/users", body: { name: "Bob" } },
      { method: "GET", url: "/users/{a.id}" },
    ]);
    expect(outcomesOf(answer)).toEqual(["201", "400 INVALID_BATCH", "200"]);
    expect(answer.json.results[2].data.name).toBe("Ada");
  });

  test("see the data that return=minimal leaves out of the answer", async () => {
    const { batch } = openShop();
    const answer = await batch(
      [
        { name: "a", method: "POST", url: "/users", body: { name: "Ada" } },
        { method: "PATCH", url: "/users/{a.data.id}", body: { name: { $result: "a.data.email" } } },
        { method: "POST", url: "/orders", body: { userId: { $result: "a.data.id" } } },
        { method: "GET", url: "/users/{a.data.id}" },
        { method: "QUERY", url: "/users", body: {} },
      ],
      { headers: { prefer: "return=minimal" } },
    );
    expect(outcomesOf(answer)).toEqual(["201", "400 INVALID_BATCH", "201", "200", "200"]);
    const [post, , order, get, query] = answer.json.results;
    expect([post.data, post.id, order.data, order.headers.location]).toEqual([undefined, 1, undefined, `/orders/${order.id}`]);
    expect([get.data.name, query.data.data.length]).toEqual(["Ada", 1]);
    expect(answer.headers["preference-applied"]).toBe("return=minimal");
  });
});

describe("the answers of operations", () => {
  test("hold locations below the mount, or below baseUrl", async () => {
    const operations = [{ method: "POST", url: "/v1/users", body: { name: "Ada" } }];
    const mounted = await openShop().batch(operations, { mount: "/v1" });
    expect(mounted.json.results[0].headers.location).toBe("/v1/users/1");
    const absolute = await openShop({ baseUrl: "https://api.example.org/v1/" }).batch(operations, { mount: "/v1" });
    expect(absolute.json.results[0].headers.location).toBe("https://api.example.org/v1/users/1");
  });

  test("name the request that they came in, and the page that explains them", async () => {
    const { batch } = openShop({ problemDocs: "https://example.org/problems" });
    const answer = await batch(
      [
        { method: "GET", url: "/users/1" },
        { method: "FLY", url: "/users" },
      ],
      { headers: { "x-request-id": "r-1" } },
    );
    for (const { error } of answer.json.results) {
      expect(error).toMatchObject({ requestId: "r-1", type: `https://example.org/problems#${error.code}` });
      expect(error.instance).toBeUndefined();
    }
    expect(answer.headers["x-request-id"]).toBe("r-1");
  });

  test("obey conditions of their own, and not those of the batch", async () => {
    const { batch } = openShop();
    const headers = { "if-match": '"nothing"', "if-none-match": "*" };
    const created = await batch([{ name: "a", method: "POST", url: "/users", body: { name: "Ada" } }], { headers });
    const { etag } = created.json.results[0].headers;
    const answer = await batch(
      [
        { method: "PATCH", url: "/users/1", headers: { "If-Match": '"old"' }, body: { quantity: 1 } },
        { method: "GET", url: "/users/1", headers: { "If-None-Match": etag } },
        { method: "PATCH", url: "/users/1", headers: { "If-Match": etag }, body: { quantity: 1 } },
        { method: "PATCH", url: "/users/1", headers: { "If-Match": etag }, body: { quantity: 2 } },
        { method: "PUT", url: "/pages/home", headers: { "If-None-Match": "*" }, body: { title: "H" } },
        { method: "PUT", url: "/pages/home", headers: { "If-None-Match": "*" }, body: { title: "I" } },
      ],
      { headers },
    );
    expect(statusesOf(answer)).toEqual([412, 304, 200, 412, 201, 412]);
    expect(answer.json.results[1].headers.etag).toBe(etag);
    expect(answer.json.results[3].headers.etag).not.toBe(etag);
  });

  test("read JSON Patch by the Content-Type of the operation", async () => {
    const { batch } = openShop();
    const answer = await batch([
      { method: "POST", url: "/users", body: { name: "Ada" } },
      {
        method: "PATCH",
        url: "/users/1",
        headers: { "content-type": "application/json-patch+json" },
        body: [{ op: "replace", path: "/quantity", value: 3 }],
      },
      { method: "PATCH", url: "/users/1", headers: { "content-type": "text/plain" }, body: { quantity: 4 } },
    ]);
    expect(statusesOf(answer)).toEqual([201, 200, 415]);
    expect(answer.json.results[1].data.quantity).toBe(3);
  });

  test("obey their own Prefer: return=minimal", async () => {
    const { batch } = openShop();
    const answer = await batch([
      { name: "a", method: "POST", url: "/users", headers: { prefer: "return=minimal" }, body: { name: "Ada" } },
      { method: "GET", url: "/users/1" },
    ]);
    const [post, get] = answer.json.results;
    expect([post.status, post.data, post.headers.location, get.data.name]).toEqual([201, undefined, "/users/1", "Ada"]);
  });

  test("search and page as requests do", async () => {
    const { batch } = openShop();
    const answer = await batch([
      { method: "POST", url: "/users", body: { name: "Ada Lovelace" } },
      { method: "POST", url: "/users", body: { name: "Bob" } },
      { method: "GET", url: "/users?q=lovelace" },
      { method: "GET", url: "/users?perPage=1&sort=-id", headers: {} },
      { method: "GET", url: "/users?nmae=x" },
    ]);
    const [, , search, page, wrong] = answer.json.results;
    expect(search.data.data.map(({ id }: { id: number }) => id)).toEqual([1]);
    expect(page.data.meta).toMatchObject({ total: 2, perPage: 1 });
    expect(page.headers.link).toContain('rel="next"');
    expect(wrong).toMatchObject({ status: 400, error: { code: "UNKNOWN_FIELD" } });
  });
});

describe("rights", () => {
  test("are asked for each operation by itself", async () => {
    const asked: string[] = [];
    const { batch } = openShop({
      auth: shopAuth,
      authorize: ({ action, collection, principal, fields }) => {
        if (fields === undefined) asked.push(`${principal.id} ${action} ${collection}`);
        return action !== "remove";
      },
    });
    const answer = await batch(
      [
        { method: "POST", url: "/users", body: { name: "Ada" } },
        { method: "DELETE", url: "/users/1" },
        { method: "GET", url: "/pages" },
      ],
      { headers: as("clerk") },
    );
    expect(outcomesOf(answer)).toEqual(["201", "403 FORBIDDEN", "200"]);
    expect(asked).toEqual(["clerk create users", "clerk remove users", "clerk list pages"]);
  });

  test("on fields hold within operations", async () => {
    const { batch } = openShop({ auth: shopAuth });
    const operations = [
      { method: "POST", url: "/users", body: { name: "Ada" } },
      { method: "PATCH", url: "/users/1", body: { salary: 1 } },
      { method: "GET", url: "/users/1?fields=salary" },
    ];
    const clerk = await batch(operations, { headers: as("clerk") });
    expect(statusesOf(clerk)).toEqual([201, 403, 403]);
    expect(statusesOf(await batch(operations.slice(1), { headers: as("admin") }))).toEqual([200, 200]);
  });

  test("to send a batch need credentials where requests do", async () => {
    const { batch } = openShop({ auth: shopAuth });
    const answer = await batch([{ method: "GET", url: "/users" }]);
    expect([answer.status, answer.json.code]).toEqual([401, "UNAUTHENTICATED"]);
  });
});
