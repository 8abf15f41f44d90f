import {
  ApiError,
  AuthenticationError,
  attempt,
  createClient,
  etagOf,
  ForbiddenError,
  NetworkError,
  NotFoundError,
  PreconditionFailedError,
  ValidationError,
} from "restwright/client";
import { describe, expect, test } from "vitest";
import { openShop, type ShopService, ways } from "./shopStage.js";

describe.each(ways)("The client of the shop, %s,", (way) => {
  const stage = openShop(way);
  const shop = () => stage().client();
  let serial = 0;
  const newUser = () => {
    serial += 1;
    return { name: `User ${serial}`, email: `user${serial}-${way.replaceAll(" ", "")}@example.com` };
  };
  const newOrder = async (total = 10) => shop().orders.create({ customerId: (await shop().users.create(newUser())).id, total, currency: "EUR" });

  test("creates, reads, changes, replaces and removes rows", async () => {
    const made = await shop().users.create({ ...newUser(), tags: ["a"], address: { city: "Rome", country: "Italy" } });
    expect(made).toMatchObject({ tags: ["a"], address: { city: "Rome" }, createdAt: expect.stringMatching(/^\d{4}-/) });
    expect(await shop().users.get(made.id)).toEqual(made);
    expect(await shop().users.get(made.id, { fields: ["id", "address.city"] })).toEqual({ id: made.id, address: { city: "Rome" } });
    expect(await shop().users.get(made.id, { exclude: ["address", "preferences"] })).not.toHaveProperty("address");
    expect(await shop().users.update(made.id, { address: { city: "Milan" } })).toMatchObject({ address: { city: "Milan", country: "Italy" } });
    const replaced = await shop().users.replace(made.id, newUser());
    expect(replaced).toMatchObject({ id: made.id, tags: [] });
    expect(await shop().users.remove(made.id)).toBeUndefined();
    await expect(shop().users.get(made.id)).rejects.toThrow(NotFoundError);
  });

  test("includes related rows", async () => {
    const order = await newOrder();
    const shown = await shop().orders.get(order.id, { fields: ["id"], include: ["customer"] });
    expect(shown).toMatchObject({ id: order.id, customer: { id: order.customerId } });
  });

  test("knows the tag of a row, and guards writes with it when asked", async () => {
    const first = await newOrder();
    expect(etagOf(first)).toMatch(/^"/);
    const second = await shop().orders.update(first.id, { total: 11 }, { ifMatch: first });
    await expect(shop().orders.update(first.id, { total: 12 }, { ifMatch: first })).rejects.toThrow(PreconditionFailedError);
    await expect(shop().orders.replace(first.id, { ...first, total: 1 } as never, { ifMatch: first })).rejects.toThrow(ApiError);
    await expect(shop().orders.remove(first.id, { ifMatch: etagOf(first) ?? "" })).rejects.toThrow(PreconditionFailedError);
    await shop().orders.update(first.id, { total: 13 });
    await expect(shop().orders.remove(first.id, { ifMatch: second })).rejects.toMatchObject({ status: 412, code: "PRECONDITION_FAILED" });
    const read = await shop().orders.get(first.id);
    expect(await shop().orders.get(first.id, { ifNoneMatch: read })).toBe(read);
    await shop().orders.update(first.id, { total: 14 });
    expect(await shop().orders.get(first.id, { ifNoneMatch: read })).toMatchObject({ total: 14 });
  });

  test("refuses a row without a tag before it sends anything", async () => {
    const order = await newOrder();
    await expect(shop().orders.update(order.id, { total: 1 }, { ifMatch: { ...order } })).rejects.toThrow('"ifMatch" has no ETag');
    expect(await shop().orders.get(order.id)).toMatchObject({ total: 10 });
  });

  test("changes a row by a function of it", async () => {
    const order = await newOrder(5);
    const changed = await shop().orders.update(order.id, ({ total = 0 }) => ({ total: total + 1 }));
    expect(changed).toMatchObject({ total: 6 });
  });

  test("calls an action of a row", async () => {
    const order = await newOrder();
    const canceled = await shop().orders.cancel(order.id, { reason: "late" });
    expect(canceled).toMatchObject({ status: "void", cancelReason: "late" });
    expect(etagOf(canceled)).toMatch(/^"/);
    await expect(shop().orders.cancel(order.id, { reason: "late" })).rejects.toMatchObject({
      name: "ConflictError",
      code: "ORDER_NOT_OPEN",
      status: 409,
    });
  });

  test("sends a filter in the query string, or in a body if it must", async () => {
    const sent: string[] = [];
    const watched = stage().client({ onRequest: ({ method, url }) => sent.push(`${method} ${url.slice(stage().baseUrl.length)}`) });
    const { id, customerId } = await newOrder(77);
    const open = { customerId: [customerId, 0], total: { gte: 77, lt: 78 }, status: "open" } as const;
    expect((await watched.orders.list({ where: open, sort: "-createdAt", fields: ["id", "total"] })).data).toEqual([{ id, total: 77 }]);
    expect(sent).toEqual([`GET /orders?customerId[in]=${customerId},0&total[gte]=77&total[lt]=78&status[eq]=open&sort=-createdAt&fields=id,total`]);
    const either = { customerId, or: [{ status: "paid" }, { note: null }] } as const;
    expect((await watched.orders.list({ where: either, fields: ["id"] })).data).toEqual([{ id }]);
    const long = {
      customerId: Array.from({ length: 90 }, (_, index) => (index === 0 ? customerId : 10 ** 15 + index * 10 ** 12)),
      note: { ne: "x".repeat(500) },
    };
    expect((await watched.orders.list({ where: long, fields: ["id"] })).data).toEqual([{ id }]);
    expect(sent.slice(1)).toEqual(["POST /searches", "POST /searches"]);
  });

  test("sends values literally", async () => {
    const names = ["a,b", "*", "a*", "50%", "[x]", "a+b & c=d", "ünï", '"q"', "'", ""];
    const user = await shop().users.create(newUser());
    for (const note of names) await shop().orders.create({ customerId: user.id, total: 1, currency: "EUR", note });
    for (const note of names) {
      const { data } = await shop().orders.list({ where: { customerId: user.id, note } });
      expect(data.map((row) => row.note)).toEqual([note]);
      expect((await shop().orders.list({ where: { customerId: user.id, note: [note] } })).data.map((row) => row.note)).toEqual([note]);
      expect(await shop().orders.count({ where: { customerId: user.id, note: { ne: note } } })).toBe(names.length - 1);
    }
    const two = await shop().orders.list({ where: { customerId: user.id, note: { in: ["a,b", "*"] } }, sort: "id" });
    expect(two.data.map((row) => row.note)).toEqual(["a,b", "*"]);
    expect(await shop().orders.count({ where: { customerId: user.id, note: { in: [] } } })).toBe(0);
    expect(await shop().orders.count({ where: { customerId: user.id, createdAt: { gte: new Date(Date.now() - 60_000) } } })).toBe(names.length);
    expect(await shop().users.count({ where: { id: user.id, "preferences.locale": "en", preferences: { newsletter: { exists: true } } } })).toBe(1);
  });

  test("walks all rows, pages or some", async () => {
    const user = await shop().users.create(newUser());
    for (let total = 1; total <= 7; total += 1) await shop().orders.create({ customerId: user.id, total, currency: "EUR" });
    const query = { where: { customerId: user.id }, sort: "-total", perPage: 3, fields: ["total"] } as const;
    const totals: (number | undefined)[] = [];
    for await (const { total } of shop().orders.walk(query)) totals.push(total);
    expect(totals).toEqual([7, 6, 5, 4, 3, 2, 1]);
    const sizes: number[] = [];
    for await (const { data, meta } of shop().orders.walk(query).pages()) sizes.push(data.length, meta.perPage);
    expect(sizes).toEqual([3, 3, 3, 3, 1, 3]);
    expect(await shop().orders.walk(query).toArray({ limit: 4 })).toEqual([{ total: 7 }, { total: 6 }, { total: 5 }, { total: 4 }]);
    expect(
      await shop()
        .orders.walk({ ...query, limit: 2 })
        .toArray({ limit: 100 }),
    ).toHaveLength(2);
    expect(
      await shop()
        .orders.walk({ ...query, where: { ...query.where, or: [{ total: 1 }, { total: 2 }] } })
        .toArray({ limit: 9 }),
    ).toHaveLength(2);
    // @ts-expect-error: toArray demands a limit
    await expect(shop().orders.walk(query).toArray()).rejects.toThrow("toArray needs a limit");
  });

  test("throws typed errors", async () => {
    const invalid = await attempt(shop().users.create({ name: "", email: "nowhere", address: { city: "x".repeat(200), country: "a" } }));
    expect(invalid).toMatchObject({ ok: false, error: { name: "ValidationError", status: 422, code: "VALIDATION_FAILED", attempts: 1 } });
    const { error } = invalid as { error: ValidationError };
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).not.toBeInstanceOf(NotFoundError);
    expect(Object.keys(error.fields).toSorted()).toEqual(["address.city", "email", "name"]);
    expect(error.requestId).toMatch(/./);
    const user = newUser();
    expect(await attempt(shop().users.create(user))).toMatchObject({ ok: true, value: user });
    await expect(shop().users.create(user)).rejects.toMatchObject({ code: "DUPLICATE_EMAIL", fields: { email: [expect.any(String)] } });
    await expect(shop().orders.list({ where: { totl: 5 } as never })).rejects.toMatchObject({
      code: "UNKNOWN_FIELD",
      fields: { "totl[eq]": [expect.any(String)] },
    });
    await expect(
      stage()
        .client({ auth: () => ({ authorization: "Bearer nobody" }) })
        .users.list(),
    ).rejects.toThrow(AuthenticationError);
    const taken = await attempt(shop().users.create(user));
    const asked = !taken.ok && shop().isError(taken.error) ? taken.error : undefined;
    expect(asked?.code === "DUPLICATE_EMAIL" && asked.fields["email"]).toEqual([expect.any(String)]);
    for (const other of [new NetworkError("No answer."), new Error("DUPLICATE_EMAIL"), { code: "DUPLICATE_EMAIL" }, undefined, null]) {
      expect(shop().isError(other)).toBe(false);
    }
    const clerk = stage().client({ auth: () => ({ authorization: "Bearer carol" }) });
    await expect(clerk.users.create({ ...newUser(), region: "south" })).rejects.toThrow(ForbiddenError);
  });

  test("sends what each call asks for", async () => {
    const made = await shop().users.create(newUser(), {
      version: "v1",
      idempotencyKey: "the-key-of-this-call-1",
      headers: { "X-Request-ID": "of-this-call" },
    });
    await expect(shop().users.create({} as never, { language: "de", headers: { "x-request-id": "asked" } })).rejects.toMatchObject({
      requestId: "asked",
      message: expect.stringContaining("Felder"),
    });
    const inVersion = stage().client({ version: "v2" });
    expect(await inVersion.users.get(made.id)).toMatchObject({ name: { givenName: "User" } });
    expect(await inVersion.users.get(made.id, { version: undefined })).toMatchObject({ name: { givenName: "User" } });
    expect(await inVersion.users.get(made.id, { version: "v1" })).toMatchObject({ name: made.name });
    const minimal = await shop().users.update(made.id, { tags: ["b"] }, { prefer: "return=minimal" });
    expect(minimal).toBeUndefined();
  });

  test("tells once of each deprecated operation", async () => {
    const told: unknown[] = [];
    const client = stage().client({ onDeprecated: (deprecation) => told.push(deprecation) });
    await client.users.list();
    await client.users.list();
    await client.users.count();
    await client.products.list({ version: "v2" });
    expect(told).toEqual([
      {
        operation: "users.list",
        deprecation: expect.stringMatching(/^@/),
        sunset: expect.stringContaining("2027"),
        link: expect.stringContaining("/docs"),
      },
    ]);
  });

  test("refuses unknown options before it sends anything", async () => {
    const sent: unknown[] = [];
    const client = stage().client({ onRequest: (request) => sent.push(request) });
    const wrong = { limt: 5 } as object;
    for (const call of [
      () => client.users.list(wrong),
      () => client.users.count(wrong),
      () => client.users.get(1, wrong),
      () => client.users.create(newUser(), wrong),
      () => client.users.update(1, {}, wrong),
      () => client.users.update(1, () => ({}), wrong),
      () => client.users.replace(1, newUser(), wrong),
      () => client.users.remove(1, wrong),
      () => client.orders.cancel(1, { reason: "a" }, wrong),
      () => client.users.import("", wrong),
      () => client.users.export(wrong).blob(),
      () => client.batch().send(wrong),
      async () => client.users.walk(wrong),
    ]) {
      await expect(call()).rejects.toThrow('has no option "limt"');
    }
    await expect(client.users.list({ where: { name: undefined } } as never)).rejects.toThrow('where: "name" is undefined.');
    await expect(client.users.list({ where: { or: [{ id: { gt: Number.NaN } }] } })).rejects.toThrow("is NaN");
    for (const id of ["", ".", "..", undefined, null]) await expect(client.users.remove(id as never)).rejects.toThrow("cannot be an id");
    expect(sent).toEqual([]);
    expect(() => createClient<ShopService>({ baseUrl: "http://localhost", baseURL: "" } as never)).toThrow('createClient has no option "baseURL"');
    expect(() => createClient<ShopService>({ baseUrl: "http://localhost", idempotencyKeys: "All" as never })).toThrow(
      'createClient: "idempotencyKeys" is All, but may be all, post, false.',
    );
  });
});

test("Awaiting or printing a client sends nothing", async () => {
  let sent = 0;
  const client = createClient<ShopService>({
    baseUrl: "http://localhost",
    fetch: async () => {
      sent += 1;
      return new Response();
    },
  });
  const { inspect } = await import("node:util");
  for (const each of [client, client.orders, client.webhooks, client.batch(), client.batch().users]) {
    expect(await (each as unknown as Promise<unknown>)).toBe(each);
    expect(JSON.stringify(each)).toMatch(/^\{("webhooks":\{\})?\}$/);
    expect(inspect(each)).toEqual(expect.any(String));
    expect(String(each)).toBe("[object Object]");
  }
  expect(client.collection("orders")).toHaveProperty("list");
  expect(sent).toBe(0);
});
