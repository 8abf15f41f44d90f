import { ConfigurationError, etagOf, ProblemError } from "restwright";
import { describe, expect, test } from "vitest";
import { ada, openShop, orders, stores, users } from "./shop.js";

const may = new Date("2026-05-01T10:00:00.000Z");

describe.each(stores)("reads by code in %s", (_, open) => {
  async function filled() {
    const service = openShop(open());
    const shop = service.as(ada);
    const user = await shop.of(users).create({ name: "Ada", email: "ada@example.com" });
    for (const cents of [100n, 200n, 300n]) {
      await shop.of(orders).create({ userId: user["id"], cents, due: may, lines: [{ sku: "a", sold: may, grams: 7n }] });
    }
    return { service, shop, orders: shop.of(orders), users: shop.of(users) };
  }

  test("rows hold the values of the schema, also inside of arrays", async () => {
    const { orders } = await filled();
    const order = await orders.create({ userId: 1, cents: 9_007_199_254_740_993n, due: "2026-05-01T12:00:00+02:00", paidAt: "2026-05-01T12:00:00Z" });
    expect(order).toStrictEqual({
      id: 4,
      userId: 1,
      cents: 9_007_199_254_740_993n,
      due: may,
      paidAt: "2026-05-01T12:00:00.000Z",
      note: null,
      lines: [],
      updatedAt: expect.any(Date),
    });
    expect((await orders.get(1))["lines"]).toStrictEqual([{ sku: "a", sold: may, grams: 7n }]);
    expect((await orders.get(1, { fields: "lines{sold}" }))["lines"]).toStrictEqual([{ sold: may }]);
  });

  test("a row is a copy: a caller may change it", async () => {
    const { orders } = await filled();
    const first = await orders.get(1);
    (first["lines"] as unknown[]).push("more");
    (first["due"] as Date).setTime(0);
    const again = await orders.get(1);
    expect(again["lines"]).toHaveLength(1);
    expect(again["due"]).toEqual(may);
  });

  test("a list takes where, sort, fields, include and a page, and has the meta of HTTP", async () => {
    const { orders } = await filled();
    const list = await orders.list({
      where: { or: [{ cents: { gte: 200n } }, { due: { gt: may } }] },
      sort: "-cents",
      fields: ["id", "cents"],
      include: ["user"],
      perPage: 1,
      count: "exact",
    });
    expect(list.data).toStrictEqual([
      { id: 3, cents: 300n, user: { id: 1, name: "Ada", email: "ada@example.com", role: "member", createdAt: expect.any(Date) } },
    ]);
    expect(list.meta).toMatchObject({ page: 1, perPage: 1, total: 2, totalRelation: "eq", pages: 2, prevCursor: null });
    const next = await orders.list({
      where: { or: [{ cents: { gte: 200n } }, { due: { gt: may } }] },
      sort: "-cents",
      perPage: 1,
      cursor: list.meta.nextCursor,
    });
    expect(next.data.map(({ cents }) => cents)).toEqual([200n]);
  });

  test("a date in a where may be a Date or a text, and names a whole day", async () => {
    const { orders } = await filled();
    expect(await orders.count({ where: { due: may } })).toBe(3);
    expect(await orders.count({ where: { due: "2026-05-01" } })).toBe(3);
    expect(await orders.count({ where: { due: { lt: may } } })).toBe(0);
  });

  test("counts by where, by text and by a related row", async () => {
    const { orders, users } = await filled();
    expect(await orders.count()).toBe(3);
    expect(await orders.count({ where: { cents: 100n } })).toBe(1);
    expect(await orders.count({ where: { user: { name: "Ada" } } })).toBe(3);
    expect(await users.count({ q: "ad" })).toBe(1);
    expect(await users.count({ q: "bob" })).toBe(0);
  });

  test("values and conditions are not limited as those of clients are", async () => {
    const { orders } = await filled();
    const many = Array.from({ length: 5_000 }, (_, index) => index + 2);
    expect(await orders.count({ where: { id: { in: many } } })).toBe(2);
    expect(await orders.count({ where: { or: many.slice(0, 200).map((id) => ({ id })) } })).toBe(2);
  });

  test("get finds one row, with its fields and relations, or rejects with NOT_FOUND", async () => {
    const { orders, users } = await filled();
    const user = await users.get(1, { fields: "name", include: "orders" });
    expect(user).toMatchObject({ name: "Ada", orders: [{ cents: 100n, due: may }, { cents: 200n }, { cents: 300n }] });
    expect(await orders.get(1, { exclude: ["lines", "updatedAt", "due"] })).toStrictEqual({ id: 1, userId: 1, cents: 100n, note: null });
    for (const id of [9, "x", undefined, null, Number.NaN, {}]) {
      await expect(orders.get(id as number), String(id)).rejects.toMatchObject({ code: "NOT_FOUND", status: 404 });
    }
  });

  test("a heavy field is shown when it is named", async () => {
    const { orders } = await filled();
    await orders.update(1, { photo: "…" });
    expect(await orders.get(1)).not.toHaveProperty("photo");
    expect(await orders.get(1, { fields: ["photo"] })).toStrictEqual({ photo: "…" });
  });

  test("a wrong query is the problem that a client would get, with a pointer to its place", async () => {
    const { orders } = await filled();
    const wrong = orders.list({ where: { cent: 5n, due: undefined }, sort: "amount", fields: ["nix"] });
    const error = await wrong.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      status: 400,
      errors: [
        { code: "UNKNOWN_FIELD", pointer: "/where/cent", hint: 'did you mean "cents"' },
        { pointer: "/where/due" },
        { code: "UNKNOWN_FIELD", pointer: "/sort" },
        { code: "UNKNOWN_FIELD", pointer: "/fields" },
      ],
    });
    await expect(orders.list({ perPage: 101 })).rejects.toMatchObject({ code: "INVALID_VALUE" });
    await expect(orders.list({ page: 2, cursor: "x" })).rejects.toMatchObject({ code: "CONFLICTING_PARAMETERS" });
    await expect(orders.get(1, { include: "usr" })).rejects.toMatchObject({ status: 400 });
    await expect(orders.count({ where: { cents: { gtt: 1n } } })).rejects.toMatchObject({ code: "UNKNOWN_OPERATOR" });
  });

  test("a misspelled option is refused, with the nearest name", async () => {
    const { orders } = await filled();
    const calls = {
      wher: () => orders.list({ wher: {} } as object),
      perPag: () => orders.walk({ perPag: 5 } as object).next(),
      whre: () => orders.count({ whre: {} } as object),
      feilds: () => orders.get(1, { feilds: "id" } as object),
      operationID: () => orders.create({}, { operationID: "a" } as object),
      ifmatch: () => orders.update(1, {}, { ifmatch: "a" } as object),
      ifMatsh: () => orders.replace(1, {}, { ifMatsh: "a" } as object),
      ifMach: () => orders.remove(1, { ifMach: "a" } as object),
    };
    for (const [name, call] of Object.entries(calls)) {
      const error = await (async () => call())().catch((thrown: unknown) => thrown);
      expect(error, name).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain(`has no option "${name}"; did you mean`);
    }
  });

  test("etagOf gives the ETag of HTTP", async () => {
    const { service, orders } = await filled();
    const answer = await service.fetch(new Request("http://shop.example/orders/1"));
    const row = await orders.get(1);
    expect(etagOf(row)).toBe(answer.headers.get("etag"));
    const { data } = await orders.list({ where: { id: 1 } });
    expect(etagOf(data[0] ?? {})).toBe(answer.headers.get("etag"));
    expect(etagOf({ ...row })).toBeUndefined();
  });
});
