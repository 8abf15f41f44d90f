import { ApiError, type BatchResult, createClient, NotFoundError, PreconditionFailedError, ValidationError } from "restwright/client";
import { describe, expect, expectTypeOf, test } from "vitest";
import { openShop, type ShopService, ways } from "./shopStage.js";

describe.each(ways)("A batch of the client, %s,", (way) => {
  const stage = openShop(way);
  let serial = 0;
  const newUser = () => {
    serial += 1;
    return { name: `User ${serial}`, email: `batch${serial}@example.com` };
  };

  test("is one request, whose operations refer to each other", async () => {
    const sent: string[] = [];
    const shop = stage().client({ onRequest: ({ method, url }) => sent.push(`${method} ${url.slice(stage().baseUrl.length)}`) });
    const batch = shop.batch();
    const user = batch.users.create(newUser());
    const order = batch.orders.create({ customerId: user.data.id, total: 9.5, currency: "EUR" });
    const renamed = batch.users.update(user.data.id, { tags: ["new"] });
    const canceled = batch.orders.cancel(order.data.id, { reason: "late" });
    const read = batch.users.get(user.data.id);
    expect(sent).toEqual([]);
    const done = await batch.send({ mode: "strict" });
    expect(sent).toEqual(["POST /batch"]);
    expect(done.ok).toBe(true);
    expect(done.results.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200]);
    const [made, ordered, changed, voided, shown] = [user, order, renamed, canceled, read].map((each) => done.of(each as typeof user));
    if (!made?.ok || !ordered?.ok || !changed?.ok || !voided?.ok || !shown?.ok) throw new Error("All succeeded.");
    expectTypeOf(made.data.id).toEqualTypeOf<number>();
    expect(ordered.data).toMatchObject({ customerId: made.data.id });
    expect(voided.data).toMatchObject({ status: "void", cancelReason: "late" });
    expect(shown.data).toMatchObject({ id: made.data.id, tags: ["new"] });
    expect(made.etag).toMatch(/^"/);
    expect(await shop.users.get(made.data.id)).toMatchObject({ tags: ["new"] });
  });

  test("that is lenient tells how each operation ended", async () => {
    const shop = stage().client();
    const taken = newUser();
    const first = await shop.users.create(taken);
    const batch = shop.batch();
    batch.users.create(newUser());
    const doubled = batch.users.create(taken);
    batch.users.remove(999_999);
    batch.users.update(first.id, { tags: ["a"] }, { ifMatch: '"from-yesterday"' });
    const dependent = batch.orders.create({ customerId: doubled.data.id, total: 1, currency: "EUR" });
    const removed = batch.users.remove(first.id, { ifMatch: first });
    const done = await batch.send({ mode: "lenient" });
    expect(done.ok).toBe(false);
    expect(done.results.map(({ status }) => status)).toEqual([201, 422, 404, 412, 424, 204]);
    const errors = done.results.flatMap((each) => (each.ok ? [] : [each.error]));
    expect(errors.map((error) => error.code)).toEqual(["DUPLICATE_EMAIL", "NOT_FOUND", "PRECONDITION_FAILED", "FAILED_DEPENDENCY"]);
    for (const [index, kind] of [ValidationError, NotFoundError, PreconditionFailedError, ApiError].entries())
      expect(errors[index]).toBeInstanceOf(kind);
    expect(errors[0]?.fields).toEqual({ email: [expect.any(String)] });
    expect(done.of(dependent)).toBe(done.results[4]);
    expect(done.of(removed)).toEqual({ ok: true, status: 204, data: undefined, etag: undefined } satisfies BatchResult);
  });

  test("that is strict writes nothing if an operation fails", async () => {
    const shop = stage().client();
    const user = newUser();
    const batch = shop.batch();
    batch.users.create(user);
    batch.users.create({ ...user });
    const done = await batch.send({ mode: "strict" });
    expect(done.results.map((each) => (each.ok ? each.status : each.error.code))).toEqual(["ROLLED_BACK", "DUPLICATE_EMAIL"]);
    expect(await shop.users.count({ where: { email: user.email } })).toBe(0);
  });

  test("that runs as a job is waited for", async () => {
    const shop = stage().client();
    const batch = shop.batch();
    const users = Array.from({ length: 5 }, () => batch.users.create(newUser()));
    const done = await batch.send({ prefer: "respond-async" });
    expect(done.results).toHaveLength(5);
    const last = done.of(users[4] as (typeof users)[0]);
    expect(last.ok && last.data.name).toBe(`User ${serial}`);
  });

  test("is refused as a whole by an error", async () => {
    const shop = stage().client();
    const batch = shop.batch();
    await expect(batch.send()).rejects.toMatchObject({ code: "EMPTY_BATCH" });
    for (let index = 0; index < 101; index += 1) batch.users.get(index);
    await expect(batch.send()).rejects.toMatchObject({ code: "BATCH_TOO_LARGE", status: 413 });
  });

  test("takes no calls of several requests", async () => {
    const shop = stage().client();
    for (const method of ["walk", "count", "watch", "live", "import", "export"]) {
      const batch = shop.batch();
      (batch.users as unknown as Record<string, () => void>)[method]?.();
      await expect(batch.send()).rejects.toThrow(`users.${method} cannot be part of a batch.`);
    }
    const batch = shop.batch();
    batch.users.update(1, (() => ({})) as never);
    await expect(batch.send()).rejects.toThrow("users.update cannot be part of a batch.");
    const misspelled = shop.batch();
    misspelled.users.update(1, {}, { ifMtch: "a" } as object);
    await expect(misspelled.send()).rejects.toThrow('no option "ifMtch"');
    await expect(shop.batch().send({ mode: "Strict" as never })).rejects.toThrow('batch.send: "mode" is Strict, but may be strict, lenient.');
  });
});

test("The results of a batch that became a job are read page by page", async () => {
  const results = Array.from({ length: 5 }, (_, index) => ({ index, status: 200, data: { id: index } }));
  const asked: string[] = [];
  const fetch = async ({ method, url }: Request) => {
    const { pathname, search } = new URL(url);
    asked.push(method + pathname.replace("/v1", "") + search);
    const after = Number(new URLSearchParams(search).get("after") ?? -1);
    const page = results.slice(after + 1, after + 3);
    const next = after + 3 < results.length ? { next: `/v1/batches/7?after=${after + 2}` } : {};
    const job = { id: "7", status: "completed", progress: 1, result: { results: page }, links: { self: "/v1/batches/7", ...next } };
    return new Response(JSON.stringify(job), { status: method === "POST" ? 202 : 200, headers: { "content-type": "application/json" } });
  };
  const batch = createClient<ShopService>({ baseUrl: "http://shop.test/v1", fetch }).batch();
  for (let id = 0; id < 5; id += 1) batch.users.get(id);
  const done = await batch.send({ prefer: "respond-async" });
  expect(done.results.map((each) => each.ok && each.data)).toEqual(results.map(({ data }) => data));
  expect(asked).toEqual(["POST/batch", "GET/batches/7", "GET/batches/7", "GET/batches/7", "GET/batches/7?after=1", "GET/batches/7?after=3"]);
});
