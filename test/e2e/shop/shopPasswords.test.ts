// @long

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyPassword } from "../../../examples/shop/passwords.js";
import { users } from "../../../examples/shop/resources.js";
import { type Ask, startScopedShop } from "./scopeStage.js";
import { shopStores } from "./shopPlaces.js";

type Shop = Awaited<ReturnType<typeof startScopedShop>>;

const ndjson = { "content-type": "application/x-ndjson" };
const v2 = { "x-api-version": "v2" };

describe.each(shopStores)("passwords of the shop on %s", (_, open) => {
  let shop: Shop;
  let ask: Ask;
  beforeAll(async () => {
    shop = await startScopedShop("koa", open);
    ask = shop.ask;
  });
  afterAll(() => shop.close());

  let count = 0;
  const body = (password?: string) => {
    count += 1;
    return { name: "Ada", email: `ada.${count}@example.com`, ...(password === undefined ? {} : { password }) };
  };
  /** The row as it is kept. */
  const stored = (id: number) =>
    shop.service
      .asSystem({ tenant: "a" })
      .of(users)
      .get(id, { fields: ["id", "name", "password", "passwordHash"] });
  const byEmail = async (email: string) => {
    const { data } = await shop.service
      .asSystem({ tenant: "a" })
      .of(users)
      .list({ where: { email }, fields: ["id"] });
    return data[0]?.id ?? 0;
  };
  const expectPassword = async (id: number, password: string) => {
    const row = await stored(id);
    expect(row.password).toBeUndefined();
    expect(row.passwordHash).toMatch(/^\$scrypt\$/);
    expect(await verifyPassword(password, row.passwordHash ?? "")).toBe(true);
    return row.passwordHash;
  };
  const hasNone = (text: string) => {
    expect(text).not.toMatch(/password|scrypt|open sesame/i);
  };

  test("are kept as hashes on every way that creates a user, and never answered", async () => {
    const password = "open sesame 1";
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const one = await ask("alice", "POST /users", body(password));
    expect(one.status, one.text).toBe(201);
    await expectPassword(one.json.id, password);
    const inForm = await ask("alice", "POST /users", new URLSearchParams(body(password)).toString(), form);
    await expectPassword(inForm.json.id, password);
    const inV2 = await ask("alice", "POST /users", { ...body(password), name: { givenName: "Ada" } }, v2);
    expect(inV2.status, inV2.text).toBe(201);
    await expectPassword(inV2.json.id, password);
    const batch = await ask("alice", "POST /users/batch", { items: [body(password), body()] });
    const [first, second] = batch.json.results;
    await expectPassword(first?.id ?? 0, password);
    expect((await stored(second?.id ?? 0)).passwordHash).toBeUndefined();
    const operations = await ask("alice", "POST /batch", { operations: [{ method: "POST", url: "/users", body: body(password) }] });
    await expectPassword(operations.json.results[0]?.data?.id ?? 0, password);
    const imported = body(password);
    const file = await ask("alice", "POST /users/import", JSON.stringify(imported), ndjson);
    expect(file.json.result, file.text).toMatchObject({ created: 1 });
    await expectPassword(await byEmail(imported.email), password);
    for (const { text } of [one, inForm, inV2, batch, operations, file]) hasNone(text);
    for (const line of ["GET /users?perPage=100", "GET /users?fields=*", `GET /users/${one.json.id}`, "GET /users/export?format=ndjson"]) {
      hasNone((await ask("alice", line)).text);
    }
  });

  test("are hashed again only if one is sent", async () => {
    const user = body("open sesame 1");
    const { id } = (await ask("alice", "POST /users", user)).json;
    const hash = await expectPassword(id, "open sesame 1");
    const unchanged = async (answer: ReturnType<Ask>) => {
      const { status, text } = await answer;
      expect(status, text).toBe(200);
      hasNone(text);
      expect((await stored(id)).passwordHash).toBe(hash);
    };
    await unchanged(ask("alice", `PATCH /users/${id}`, { name: "Ada L." }));
    await unchanged(ask("alice", `PUT /users/${id}`, { name: "Ada K.", email: user.email }));
    await unchanged(ask("alice", `PUT /users/${id}`, { name: { givenName: "Ada" }, email: user.email }, v2));
    await unchanged(ask("alice", `PATCH /users/${id}`, { password: null }));
    await unchanged(ask("alice", "PATCH /users/batch", { items: [{ id, changes: { tags: ["vip"] } }] }));
    await unchanged(ask("alice", "POST /users/import?mode=upsert&key=email", JSON.stringify({ ...user, password: undefined, name: "Ada" }), ndjson));
    expect(await stored(id)).toMatchObject({ name: "Ada" });
  });

  test("can be changed on every way that changes a user", async () => {
    const user = body("open sesame 1");
    const { id } = (await ask("alice", "POST /users", user)).json;
    let number = 1;
    const changes = async (write: (password: string) => ReturnType<Ask>) => {
      number += 1;
      const password = `open sesame ${number}`;
      const { status, text } = await write(password);
      expect(status, text).toBe(200);
      hasNone(text);
      await expectPassword(id, password);
    };
    const jsonPatch = { "content-type": "application/json-patch+json" };
    await changes((password) => ask("alice", `PATCH /users/${id}`, { password }));
    await changes((password) => ask("alice", `PATCH /users/${id}`, { password }, v2));
    await changes((password) => ask("alice", `PATCH /users/${id}`, [{ op: "add", path: "/password", value: password }], jsonPatch));
    await changes((password) => ask("alice", `PUT /users/${id}`, { ...user, password }));
    await changes((password) => ask("alice", "PATCH /users/batch", { items: [{ id, changes: { password } }] }));
    await changes((password) => ask("alice", `POST /users/bulk-update?id=${id}`, { password }));
    await changes((password) => ask("alice", "POST /users/import?mode=update&key=email", JSON.stringify({ email: user.email, password }), ndjson));
    await changes((password) => ask("alice", "POST /users/import?mode=upsert&key=email", JSON.stringify({ ...user, password }), ndjson));
    await shop.service.asSystem({ tenant: "a" }).of(users).update(id, { password: "by code, itself" });
    await expectPassword(id, "by code, itself");
  });

  test("have a length, and their hash is unknown to clients", async () => {
    const refused = async (line: string, sent?: object | string, headers: Record<string, string> = {}) => {
      const { status, json, text } = await ask("alice", line, sent, headers);
      expect(text).not.toContain("$scrypt$");
      return [status, json.errors?.[0]?.code, json.errors?.[0]?.pointer];
    };
    expect(await refused("POST /users", body("short"))).toEqual([422, "INVALID_VALUE", "/password"]);
    expect(await refused("POST /users", body("x".repeat(201)))).toEqual([422, "INVALID_VALUE", "/password"]);
    expect(await refused("POST /users", { ...body(), passwordHash: "x" })).toEqual([422, "UNKNOWN_FIELD", "/passwordHash"]);
    const { id } = (await ask("alice", "POST /users", body("open sesame 1"))).json;
    expect(await refused(`PATCH /users/${id}`, { passwordHash: "x" })).toEqual([422, "UNKNOWN_FIELD", "/passwordHash"]);
    expect(await refused("POST /users/import", "name,email,passwordHash\nAda,hash@example.com,x\n", { "content-type": "text/csv" })).toEqual([
      422,
      "UNKNOWN_COLUMN",
      undefined,
    ]);
    for (const query of ["fields=passwordHash", "fields=password", "passwordHash=x", "password=x", "sort=passwordHash"]) {
      expect((await refused(`GET /users?${query}`))[0], query).toBe(400);
    }
    await expectPassword(id, "open sesame 1");
  });
});
