import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, type Received } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";

const rows = defineResource("rows", {
  schema: z.object({
    id: z.int(),
    name: z.string(),
    note: z.string().nullable().default(null),
    at: z.date().optional(),
    big: z.bigint().default(0n),
    place: z.object({ floor: z.int() }).optional(),
    salary: z.int().default(0),
  }),
  generated: { id: "increment" },
  access: { salary: { read: () => false, sort: true, onForbidden: "403" } },
});

const secrets = ["a secret of at least sixteen bytes"];

async function withRows(count: number, options: Partial<FullServiceOptions> = {}) {
  const send = clientOf(fullService({ resources: [rows], storage: memoryStorage(), secrets, ...options }));
  for (let index = 0; index < count; index++) {
    const body = {
      name: `n${index % 4}`,
      note: index % 3 === 0 ? null : `note ${index % 5}`,
      ...(index % 4 === 0 ? {} : { at: new Date(Date.UTC(2026, 0, 1 + (index % 6))).toISOString() }),
      big: String(2n ** 60n + BigInt(index % 7)),
      ...(index % 5 === 0 ? {} : { place: { floor: index % 3 } }),
    };
    expect((await send({ method: "POST", target: "/rows", body })).status).toBe(201);
  }
  return send;
}

type Send = Awaited<ReturnType<typeof withRows>>;
const idsOf = ({ json }: Received): number[] => json.data.map(({ id }: { id: number }) => id);

async function walk(send: Send, target: string, link: "next" | "prev"): Promise<number[][]> {
  const pages: number[][] = [];
  for (let next: string | undefined = target; next !== undefined; ) {
    const page: Received = await send({ target: next });
    expect(page.status, page.text).toBe(200);
    pages.push(idsOf(page));
    next = page.json.links[link];
  }
  return pages;
}

const stores: [string, () => Partial<FullServiceOptions>][] = [
  ["memory", () => ({})],
  ["SQLite", () => ({ storage: sqliteStorage({ path: ":memory:" }) })],
];

describe.each(stores)("keyset cursors on %s", (_, options) => {
  test.each(["id", "-id", "name", "-name", "note", "-note", "at", "-at", "big,-name", "-note,at", "place.floor", "-place.floor,note"])(
    "walk sort=%s in both directions, nulls and ties included",
    async (sort) => {
      const send = await withRows(43, options());
      const all = idsOf(await send({ target: `/rows?sort=${sort}&perPage=100` }));
      expect(all).toHaveLength(43);
      const first = await send({ target: `/rows?sort=${sort}&perPage=5` });
      const cursor = first.json.meta.nextCursor;
      const forward = await walk(send, `/rows?sort=${sort}&perPage=5&cursor=${cursor}`, "next");
      expect([...idsOf(first), ...forward.flat()]).toEqual(all);
      const last = await send({ target: `/rows?sort=${sort}&perPage=5&page=9` });
      const backward = await walk(send, `/rows?sort=${sort}&perPage=7&cursor=${last.json.meta.prevCursor}`, "prev");
      expect(backward.reverse().flat()).toEqual(all.slice(0, 40));
    },
  );
});

describe("a cursor", () => {
  test("answers page null, no last link, and links by cursors only", async () => {
    const send = await withRows(12);
    const { json } = await send({ target: "/rows?perPage=5" });
    const page = await send({ target: `/rows?perPage=5&cursor=${json.meta.nextCursor}` });
    expect(page.json.meta).toMatchObject({ page: null, perPage: 5, total: 12, totalRelation: "eq", pages: 3 });
    expect(Object.keys(page.json.links)).toEqual(["self", "first", "prev", "next"]);
    expect(page.json.links.first).toBe("/rows?perPage=5");
    expect(page.json.links.next).toBe(`/rows?perPage=5&cursor=${page.json.meta.nextCursor}`);
    expect(idsOf(await send({ target: page.json.links.prev }))).toEqual([1, 2, 3, 4, 5]);
  });

  test("may be read with another perPage, but not with another filter, sort or secret", async () => {
    const send = await withRows(12);
    const { nextCursor } = (await send({ target: "/rows?perPage=5&name=n1,n2&sort=-name" })).json.meta;
    expect((await send({ target: `/rows?perPage=2&name=n1,n2&sort=-name&cursor=${nextCursor}` })).status).toBe(200);
    for (const query of ["name=n1&sort=-name", "name=n1,n2&sort=name", "name=n1,n2", "sort=-name"]) {
      const refused = await send({ target: `/rows?perPage=2&${query}&cursor=${nextCursor}` });
      expect([refused.status, refused.json.code, refused.json.errors[0].parameter], query).toEqual([400, "INVALID_CURSOR", "cursor"]);
    }
    const elsewhere = await withRows(1, { secrets: ["another secret of sixteen bytes"] });
    expect((await elsewhere({ target: `/rows?name=n1,n2&sort=-name&cursor=${nextCursor}` })).json.code).toBe("INVALID_CURSOR");
    const rotated = await withRows(1, { secrets: ["another secret of sixteen bytes", ...secrets] });
    expect((await rotated({ target: `/rows?name=n1,n2&sort=-name&cursor=${nextCursor}` })).status).toBe(200);
  });

  test("cannot be combined with page", async () => {
    const send = await withRows(1);
    expect((await send({ target: "/rows?page=1&cursor=x" })).json.code).toBe("CONFLICTING_PARAMETERS");
    expect((await send({ target: "/rows?cursor=x" })).json.code).toBe("INVALID_CURSOR");
    expect((await send({ target: "/rows?cursor=" })).json.code).toBe("EMPTY_VALUE");
  });

  test("goes on where rows were added and removed before it", async () => {
    const send = await withRows(10);
    const { nextCursor } = (await send({ target: "/rows?perPage=4" })).json.meta;
    for (const id of [1, 4]) expect((await send({ method: "DELETE", target: `/rows/${id}` })).status).toBe(204);
    expect(idsOf(await send({ target: `/rows?perPage=4&cursor=${nextCursor}` }))).toEqual([5, 6, 7, 8]);
  });

  test("is not made where it would tell what the principal may not read", async () => {
    const send = await withRows(6);
    const page = await send({ target: "/rows?perPage=2&page=2&sort=salary" });
    expect(page.json.meta).toMatchObject({ nextCursor: null, prevCursor: null });
    expect(page.json.links.next).toBe("/rows?perPage=2&sort=salary&page=3");
  });

  test("takes over from pages where their offset would grow too large", async () => {
    const send = await withRows(9, { limits: { offset: 6 } });
    const page = await send({ target: "/rows?perPage=2&page=3" });
    expect(page.json.links.next).toBe(`/rows?perPage=2&cursor=${page.json.meta.nextCursor}`);
    expect(page.json.links).not.toHaveProperty("last");
    expect(idsOf(await send({ target: page.json.links.next }))).toEqual([7, 8]);
    const beyond = await send({ target: "/rows?perPage=2&page=4" });
    expect([beyond.status, beyond.json.code, beyond.json.errors[0].hint]).toEqual([400, "OFFSET_TOO_LARGE", "use cursor"]);
  });
});

describe("totals", () => {
  test.each([
    ["", { total: 5, totalRelation: "gte", pages: null }, undefined],
    ["count=estimated", { total: 5, totalRelation: "gte", pages: null }, undefined],
    ["count=exact", { total: 8, totalRelation: "eq", pages: 4 }, "8"],
    ["count=none", { total: null, totalRelation: null, pages: null }, undefined],
  ])("%s", async (query, meta, header) => {
    const send = await withRows(8, { limits: { count: 5 } });
    const list = await send({ target: `/rows?perPage=2&${query}` });
    expect(list.json.meta).toMatchObject(meta);
    expect(list.headers["x-total-count"]).toBe(header);
    expect("last" in list.json.links).toBe(header !== undefined);
    const cursor = await send({ target: `/rows?perPage=2&${query}&cursor=${list.json.meta.nextCursor}` });
    expect(cursor.json.meta).toMatchObject({ ...meta, page: null });
  });

  test("count=none still tells whether there is a next page", async () => {
    const send = await withRows(4);
    expect((await send({ target: "/rows?perPage=2&count=none" })).json.links.next).toBe("/rows?perPage=2&count=none&page=2");
    expect((await send({ target: "/rows?perPage=2&count=none&page=2" })).json.links).not.toHaveProperty("next");
  });

  test("a page past the end is empty, with the right total and a way back", async () => {
    const send = await withRows(5);
    const list = await send({ target: "/rows?perPage=2&page=9" });
    expect(list.json).toMatchObject({ data: [], meta: { page: 9, total: 5, pages: 3, nextCursor: null, prevCursor: null } });
    expect(list.json.links.prev).toBe("/rows?perPage=2&page=3");
  });
});

test("without secrets the storage keeps one: cursors outlive the service", async () => {
  const storage = memoryStorage();
  const open = () => clientOf(fullService({ resources: [rows], storage }));
  await open()({ method: "POST", target: "/rows", body: { name: "a" } });
  await open()({ method: "POST", target: "/rows", body: { name: "b" } });
  const { nextCursor } = (await open()({ target: "/rows?perPage=1" })).json.meta;
  expect(idsOf(await open()({ target: `/rows?cursor=${nextCursor}` }))).toEqual([2]);
});
