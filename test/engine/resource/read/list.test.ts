import { describe, expect, test } from "vitest";
import { setUp } from "../../service/resources.js";

async function withThings(count: number, limits = {}) {
  const { send } = setUp({ limits });
  for (let index = 1; index <= count; index++) {
    const body = { name: `n${index}`, status: index % 3 === 0 ? "paid" : "open", note: index % 2 === 0 ? "even" : null, tags: [`t${index % 4}`] };
    await send({ method: "POST", target: "/things", body });
  }
  return send;
}

test("a list is an envelope of the compact view, with Link and X-Total-Count", async () => {
  const send = await withThings(45);
  const list = await send({ target: "/things?status=open&page=2&perPage=10&sort=-id", mount: "/v1" });
  expect(list.status).toBe(200);
  expect(list.json.data).toHaveLength(10);
  expect(Object.keys(list.json.data[0])).toEqual(["name", "id"]);
  expect(list.json.meta).toEqual({
    page: 2,
    perPage: 10,
    total: 30,
    totalRelation: "eq",
    pages: 3,
    nextCursor: expect.any(String),
    prevCursor: expect.any(String),
  });
  const link = (page: number) => `/v1/things?status=open&perPage=10&sort=-id&page=${page}`;
  expect(list.json.links).toEqual({
    self: "/v1/things?status=open&page=2&perPage=10&sort=-id",
    first: link(1),
    prev: link(1),
    next: link(3),
    last: link(3),
  });
  expect(list.headers["x-total-count"]).toBe("30");
  expect(list.headers["link"]).toContain(`<${link(3)}>; rel="next"`);
});

test("walking the next links visits every row once", async () => {
  const send = await withThings(25);
  const seen: number[] = [];
  for (let target: string | undefined = "/things?perPage=7&sort=status"; target; ) {
    const { json } = await send({ target });
    seen.push(...json.data.map(({ id }: { id: number }) => id));
    target = json.links.next;
  }
  expect(seen).toHaveLength(25);
  expect(new Set(seen).size).toBe(25);
});

describe("rows are chosen and ordered", () => {
  const ids = async (query: string) => {
    const send = await withThings(12);
    return (await send({ target: `/things?${query}` })).json.data.map(({ id }: { id: number }) => id);
  };

  test.each([
    ["status=paid", [3, 6, 9, 12]],
    ["status=paid,open&perPage=3", [1, 2, 3]],
    ["name=n7", [7]],
    ["name=n7&name=n8", [7, 8]],
    ["status=paid&note=even", [6, 12]],
    ["tags=t1", [1, 5, 9]],
    ["tags=t1,t2", [1, 2, 5, 6, 9, 10]],
    ["settings.theme=light&perPage=2", [1, 2]],
    ["settings.theme=dark", []],
    ["sort=-name&perPage=3", [9, 8, 7]],
    ["sort=note,-id&perPage=3", [11, 9, 7]],
    ["sort=-note,id&perPage=3", [2, 4, 6]],
    ["page=4&perPage=5", []],
  ])("by %s", async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });
});

test("a total past the limit is a lower bound, without last and X-Total-Count", async () => {
  const send = await withThings(8, { count: 5 });
  const list = await send({ target: "/things?perPage=2" });
  expect(list.json.meta).toMatchObject({ page: 1, perPage: 2, total: 5, totalRelation: "gte", pages: null });
  expect(list.json.links).not.toHaveProperty("last");
  expect(list.json.links.next).toBe("/things?perPage=2&page=2");
  expect(list.headers["x-total-count"]).toBeUndefined();
});

test("HEAD has the headers of GET", async () => {
  const send = await withThings(3);
  const [get, head] = [await send({ target: "/things" }), await send({ method: "HEAD", target: "/things" })];
  expect([head.text, head.headers["content-length"], head.headers["etag"]]).toEqual(["", String(Buffer.byteLength(get.text)), get.headers["etag"]]);
});

test("every fault of a query is told at once, where it is", async () => {
  const refused = await (await withThings(0)).call(null, { target: "/things?statos=open&quantity=x&page=0&sort=tags" });
  expect(refused.status).toBe(400);
  expect(refused.json.errors.map(({ code, parameter }: { code: string; parameter: string }) => `${code} ${parameter}`)).toEqual([
    "UNKNOWN_FIELD statos",
    "INVALID_VALUE quantity",
    "SORT_NOT_ALLOWED sort",
    "INVALID_VALUE page",
  ]);
});
