import { once } from "node:events";
import { connect } from "node:net";
import { AwsV4Signer } from "aws4fetch";
import { type JWTPayload, SignJWT } from "jose";
import { expect, test } from "vitest";
import { authorizationOf, challengesOf, digestAnswer } from "../../parts/auth/digest/digestClient.js";
import { untilTrue } from "../../tools/eventually.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { type Host, startShop } from "./shopProcess.js";

const json = { "content-type": "application/json" };

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(url, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });
}

/** What the tests look at in the shop's answers. */
interface Body {
  readonly id: number;
  readonly code: string;
  readonly createdAt: string;
  readonly ssn?: string;
  readonly data: unknown;
  readonly meta: unknown;
  readonly links: { readonly self: string };
}

const bodyOf = async (response: Response | Promise<Response>) => (await (await response).json()) as Body;

/** A picture of one pixel. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A day in the life of a user, with a restart in the middle. */
export async function createToRemove(host: Host, environment: Readonly<Record<string, string>>): Promise<void> {
  let shop = await startShop(host, environment);
  expect(shop.announced).toMatch(new RegExp(`^restwright shop on ${host} at http://127\\.0\\.0\\.1:\\d+$`));

  const created = await post(`${shop.origin}/users`, { name: "Ada", email: "ada@example.com", bio: "first" });
  expect(created.status).toBe(201);
  expect(created.headers.get("location")).toBe("/users/1");
  const user = await bodyOf(created);
  expect(user).toMatchObject({ id: 1, status: "active", name: "Ada", tags: [], preferences: { newsletter: false, locale: "en" } });
  expect(user).not.toHaveProperty("bio");

  const read = await fetch(`${shop.origin}/users/1`);
  const etag = read.headers.get("etag") ?? "";
  expect(etag).toBe(created.headers.get("etag"));
  expect(await read.json()).toEqual(user);
  expect((await fetch(`${shop.origin}/users/1`, { headers: { "if-none-match": etag } })).status).toBe(304);

  const patch = (ifMatch: string) =>
    fetch(`${shop.origin}/users/1`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json", "if-match": ifMatch },
      body: JSON.stringify({ name: "Ada Lovelace" }),
    });
  expect((await patch(etag)).status).toBe(200);
  const stale = await patch(etag);
  expect(stale.status).toBe(412);
  expect(stale.headers.get("content-type")).toMatch(/^application\/problem\+json/);

  const order = await post(`${shop.origin}/orders`, { customerId: 1, total: 12.5, currency: "EUR" });
  expect(order.status).toBe(201);
  expect(await order.json()).toMatchObject({ id: 1, status: "open", note: null });

  const duplicate = await post(`${shop.origin}/users`, { name: "Other", email: "ADA@example.com" });
  expect([duplicate.status, (await bodyOf(duplicate)).code]).toEqual([422, "DUPLICATE_EMAIL"]);

  expect(await shop.stop("SIGTERM")).toBe(0);
  shop = await startShop(host, environment);
  const list = await bodyOf(fetch(`${shop.origin}/users?status=active&sort=-createdAt`));
  expect(list.data).toEqual([{ id: 1, name: "Ada Lovelace", email: "ada@example.com", createdAt: user.createdAt }]);
  expect(list.meta).toMatchObject({ page: 1, perPage: 20, total: 1 });

  const remove = (path: string) => fetch(`${shop.origin}${path}`, { method: "DELETE" });
  const refused = await remove("/users/1");
  expect([refused.status, (await bodyOf(refused)).code]).toEqual([409, "ROW_IN_USE"]);
  expect((await remove("/orders/1")).status).toBe(204);
  expect((await remove("/users/1")).status).toBe(204);
  expect((await fetch(`${shop.origin}/users/1`)).status).toBe(404);
  expect(await shop.stop("SIGINT")).toBe(0);
}

/** The shop from end to end, in processes of its own. */
export function shopChecks(host: Host): void {
  test("creates, reads, patches, lists, removes, and keeps its data over a restart", () => createToRemove(host, { DATA_DIR: temporaryFolder() }));

  test("makes one payment of requests with one Idempotency-Key, and changes none", async () => {
    const shop = await startShop(host, { DATA_DIR: ":memory:" });
    const pay = (body: object, key = "0123456789abcdef") => post(`${shop.origin}/payments`, body, { "idempotency-key": key });
    const first = await pay({ amount: 5, currency: "EUR" });
    const text = await first.text();
    expect([first.status, JSON.parse(text)]).toEqual([201, expect.objectContaining({ id: 1, amount: 5, status: "succeeded" })]);
    const again = await pay({ currency: "EUR", amount: 5 });
    expect([again.status, await again.text(), again.headers.get("idempotent-replayed")]).toEqual([201, text, "true"]);
    expect((await pay({ amount: 6, currency: "EUR" })).status).toBe(422);
    expect((await pay({ amount: 6, currency: "EUR", status: "pending" }, "another-key-0123456789")).status).toBe(422);
    const list = (await (await fetch(`${shop.origin}/payments`)).json()) as { meta: { total: number } };
    expect(list.meta.total).toBe(1);
    const removal = await fetch(`${shop.origin}/payments/1`, { method: "DELETE" });
    expect([removal.status, removal.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(await shop.stop("SIGTERM")).toBe(0);
  });

  test("calculates the totals of orders, cancels them, and writes a receipt for those that are paid", async () => {
    const shop = await startShop(host, { DATA_DIR: temporaryFolder() });
    await post(`${shop.origin}/users`, { name: "Ada", email: "ada@example.com" });
    const order = { customerId: 1, currency: "EUR", lines: [{ sku: "LAMP-1", quantity: 3, price: 1.005 }] };
    expect(await bodyOf(post(`${shop.origin}/orders`, order))).toMatchObject({ id: 1, total: 3.02 });
    const mismatch = await post(`${shop.origin}/orders`, { ...order, total: 3.01 });
    expect([mismatch.status, await mismatch.json()]).toEqual([
      422,
      expect.objectContaining({ code: "TOTAL_MISMATCH", errors: [expect.objectContaining({ code: "TOTAL_MISMATCH", pointer: "/total" })] }),
    ]);
    expect(await bodyOf(post(`${shop.origin}/orders`, { ...order, status: "paid" }))).toMatchObject({ id: 2, status: "paid" });
    const cancel = async (id: number) => {
      const answer = await post(`${shop.origin}/orders/${id}/cancel`, { reason: "Out of stock" });
      return [answer.status, await answer.json()];
    };
    expect(await cancel(1)).toEqual([200, expect.objectContaining({ id: 1, status: "void", cancelReason: "Out of stock" })]);
    for (const id of [1, 2]) expect(await cancel(id)).toEqual([409, expect.objectContaining({ code: "ORDER_NOT_OPEN" })]);
    const receipts = async () => (await bodyOf(fetch(`${shop.origin}/receipts`))).data;
    await expect.poll(receipts).toEqual([expect.objectContaining({ orderId: 2, amount: 3.02 })]);
    expect(await shop.stop("SIGTERM")).toBe(0);
  });

  test("takes forms and XML of users, and answers XML, CSV and NDJSON", async () => {
    const shop = await startShop(host, { DATA_DIR: ":memory:" });
    const send = async (path: string, accept: string, type?: string, body?: string | FormData) => {
      const headers: Record<string, string> = { accept, ...(type === undefined ? {} : { "content-type": type }) };
      const response = await fetch(`${shop.origin}${path}`, body === undefined ? { headers } : { method: "POST", headers, body });
      return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
    };
    const form = "application/x-www-form-urlencoded";
    const ada = await send(
      "/users",
      "*/*",
      form,
      "name=Ada&email=ada@example.com&tags[]=a&preferences[newsletter]=on&address[city]=Turin&address[country]=IT",
    );
    expect(JSON.parse(ada.text)).toMatchObject({ id: 1, tags: ["a"], preferences: { newsletter: true }, address: { city: "Turin" } });
    const parts = new FormData();
    for (const [name, value] of [
      ["name", "Ben"],
      ["email", "ben@example.com"],
    ] as const)
      parts.append(name, value);
    expect((await send("/users", "application/json", undefined, parts)).status).toBe(201);
    const xml = "<user><name>Cleo</name><email>cleo@example.com</email><tags><item>b</item></tags></user>";
    const cleo = await send("/users", "application/xml", "application/xml", xml);
    expect([cleo.status, cleo.type]).toEqual([201, "application/xml; charset=utf-8"]);
    expect(cleo.text).toContain("<tags><item>b</item></tags>");
    expect((await send("/users?fields=id,name&sort=-id", "text/csv")).text).toBe("id,name\r\n3,Cleo\r\n2,Ben\r\n1,Ada\r\n");
    expect((await send("/users?fields=name&perPage=1", "application/x-ndjson")).text).toBe('{"name":"Ada"}\n');
    expect((await send("/orders", "application/xml")).status).toBe(406);
    expect((await send("/orders", "*/*", form, "customerId=1&total=1&currency=EUR")).status).toBe(415);
    expect((await send("/users", "text/html,application/xml;q=0.9,*/*;q=0.8")).type).toBe("application/json");
    expect(await shop.stop("SIGTERM")).toBe(0);
  });

  test("serves below BASE_PATH, answers probes and unknown paths", async () => {
    const shop = await startShop(host, { DATA_DIR: ":memory:", BASE_PATH: "/v1" });
    const created = await post(`${shop.origin}/users`, { name: "Ada", email: "ada@example.com" });
    expect(created.headers.get("location")).toBe("/v1/users/1");
    const list = await bodyOf(fetch(`${shop.origin}/users?perPage=1`));
    expect(list.links.self).toBe("/v1/users?perPage=1");
    expect(await (await fetch(`${shop.origin}/health`)).json()).toEqual({ status: "ok" });
    expect(await (await fetch(`${shop.origin}/ready`)).json()).toMatchObject({ ready: true });
    const nowhere = await fetch(`${shop.origin}/nowhere`);
    expect([nowhere.status, (await bodyOf(nowhere)).code]).toEqual([404, "NOT_FOUND"]);
    expect(await shop.stop("SIGTERM")).toBe(0);
  });

  test("stops on SIGTERM: answers what is under way, and waits for nobody who says nothing", async () => {
    const shop = await startShop(host, { DATA_DIR: ":memory:" });
    const { port } = new URL(shop.origin);
    const open = async () => {
      const socket = connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      return socket.on("error", () => undefined);
    };
    // The shop takes connections in their order: it has both when it answers the second.
    const [silent, slow] = [await open(), await open()];
    const body = JSON.stringify({ name: "Ada", email: "ada@example.com" });
    slow.write(
      `POST /users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    const [interim] = (await once(slow, "data")) as [Buffer];
    expect(interim.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    const stopped = shop.stop("SIGTERM");
    // It has begun to stop when it takes no more connections.
    await untilTrue(async () =>
      open().then(
        (socket) => {
          socket.destroy();
          return false;
        },
        () => true,
      ),
    );
    slow.write(body.slice(5));
    const [answer] = (await once(slow, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer.toString()).toMatch(/connection: close/i);
    // After 15 s the shop would give up the one who says nothing, and end with 1.
    expect(await stopped).toBe(0);
    for (const socket of [silent, slow]) socket.destroy();
  });

  test("with SHOP_AUTH=on asks for credentials, parts the tenants and regions, and guards ssn", async () => {
    const SHOP_JWT_SECRET = "a secret of at least 32 bytes, see";
    const shop = await startShop(host, { DATA_DIR: ":memory:", SHOP_AUTH: "on", SHOP_JWT_SECRET });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const refused = await fetch(`${shop.origin}/users`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer .*ApiKey /);

    const body = { name: "Ada", email: "ada@example.com", region: "north", ssn: "123-45-6789", password: "open sesame" };
    expect((await post(`${shop.origin}/users`, { ...body, passwordHash: "x" }, as("alice"))).status).toBe(422);
    const created = await bodyOf(post(`${shop.origin}/users`, body, as("alice")));
    expect(created.ssn).toBe("123-45-6789");
    expect(Object.keys(created)).not.toEqual(expect.arrayContaining([expect.stringMatching(/password/)]));
    const asClerk = await bodyOf(fetch(`${shop.origin}/users/${created.id}`, { headers: as("carol") }));
    expect(asClerk).not.toHaveProperty("ssn");
    expect((await fetch(`${shop.origin}/users/${created.id}`, { headers: as("bob") })).status).toBe(404);
    expect((await fetch(`${shop.origin}/users?ssn=123-45-6789`, { headers: as("carol") })).status).toBe(403);
    expect((await fetch(`${shop.origin}/users?passwordHash=x`, { headers: as("alice") })).status).toBe(400);
    expect((await post(`${shop.origin}/users`, { ...body, ssn: undefined }, as("bob"))).status).toBe(201);
    expect((await fetch(`${shop.origin}/users`, { headers: { "x-api-key": "key-alice" } })).status).toBe(200);
    const password = Buffer.from("alice:wonderland").toString("base64");
    expect((await fetch(`${shop.origin}/users`, { headers: { authorization: `Basic ${password}` } })).status).toBe(200);
    const signedBy = async (secretAccessKey: string) => {
      const access = { accessKeyId: "AKIDALICE", secretAccessKey, service: "shop", region: "local" };
      const { headers } = await new AwsV4Signer({ url: `${shop.origin}/users?sort=-id`, ...access }).sign();
      return (await fetch(`${shop.origin}/users?sort=-id`, { headers })).status;
    };
    expect([await signedBy("secret-alice"), await signedBy("secret-bob")]).toEqual([200, 401]);
    expect((await fetch(`${shop.origin}/users`, { headers: as("mallory") })).status).toBe(401);
    expect((await fetch(`${shop.origin}/users/${created.id}`, { headers: as("root") })).status).toBe(404);

    const tokenOf = (claims: JWTPayload, key = SHOP_JWT_SECRET) =>
      new SignJWT({ iss: "shop", sub: "dora", exp: Date.now() / 1_000 + 60, ...claims }).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(key));
    const statusOf = async (token: string) => (await fetch(`${shop.origin}/users/${created.id}`, { headers: as(token) })).status;
    const dora = await tokenOf({ tenant: "a", role: "clerk", region: "north" });
    const asDora = await bodyOf(fetch(`${shop.origin}/users/${created.id}`, { headers: as(dora) }));
    expect([asDora.id, "ssn" in asDora]).toEqual([created.id, false]);
    expect(await bodyOf(fetch(`${shop.origin}/users/${created.id}`, { headers: as(await tokenOf({ tenant: "a", role: "admin" })) }))).toHaveProperty(
      "ssn",
    );
    for (const region of ["south", ["north"], undefined]) expect(await statusOf(await tokenOf({ tenant: "a", role: "clerk", region }))).toBe(404);
    expect(await statusOf(await tokenOf({ tenant: "b", role: "admin" }))).toBe(404);
    for (const wrong of [{}, { tenant: "a", iss: "other" }, { tenant: "a", exp: 1 }]) expect(await statusOf(await tokenOf(wrong))).toBe(401);
    expect(await statusOf(await tokenOf({ tenant: "a" }, "another secret that has 32 bytes"))).toBe(401);

    for (const challenge of challengesOf(refused.headers.get("www-authenticate") ?? "")) {
      const uri = "/users?sort=-id";
      const authorization = authorizationOf(digestAnswer({ challenge, uri }));
      const statuses = [
        await fetch(`${shop.origin}${uri}`, { headers: { authorization } }),
        await fetch(`${shop.origin}${uri}`, { headers: { authorization } }),
      ];
      expect(statuses.map(({ status }) => status)).toEqual([200, 401]);
      const wrong = authorizationOf(digestAnswer({ challenge, uri, nc: "00000002", password: "no" }));
      expect((await fetch(`${shop.origin}${uri}`, { headers: { authorization: wrong } })).status).toBe(401);
    }
    expect(await shop.stop("SIGTERM")).toBe(0);
  });

  test("lets caches answer everybody for products, and asks for orders; pictures stay for a year", async () => {
    const shop = await startShop(host, { DATA_DIR: temporaryFolder(), SHOP_AUTH: "on" });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const lamp = { sku: "LAMP-1", title: "A lamp", price: 19.9 };
    const create = async (headers: Record<string, string>) => (await post(`${shop.origin}/products`, lamp, headers)).status;
    expect([await create({}), await create(as("carol")), await create(as("alice")), await create(as("bob"))]).toEqual([401, 403, 201, 422]);
    for (const headers of [{}, as("alice"), as("bob")]) {
      const read = await fetch(`${shop.origin}/products/1`, { headers });
      expect(await read.json()).toMatchObject({ id: 1, ...lamp });
      expect(read.headers.get("cache-control")).toBe("public, max-age=60, s-maxage=300, stale-while-revalidate=30");
      expect(read.headers.get("vary") ?? "").not.toMatch(/Authorization|X-API-Key/i);
      expect((await bodyOf(fetch(`${shop.origin}/products`, { headers }))).data).toHaveLength(1);
    }
    const change = { method: "PATCH", headers: { ...as("bob"), "content-type": "application/merge-patch+json" }, body: '{"price":20}' };
    expect((await fetch(`${shop.origin}/products/1`, change)).status).toBe(200);
    expect(await bodyOf(fetch(`${shop.origin}/products/1`))).toMatchObject({ price: 20 });

    const orders = await fetch(`${shop.origin}/orders`, { headers: as("alice") });
    expect([orders.headers.get("cache-control"), orders.headers.get("vary")]).toEqual([
      "private, max-age=0, must-revalidate",
      expect.stringContaining("Authorization"),
    ]);
    const form = new FormData();
    form.append("avatar", new File([Buffer.from(dot, "base64")], "dot.png", { type: "image/png" }));
    const sent = await fetch(`${shop.origin}/avatars`, { method: "POST", body: form, headers: as("carol") });
    const picture = await fetch(`${shop.origin}${((await sent.json()) as { readonly url: string }).url}`);
    expect([picture.status, picture.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    expect(await shop.stop("SIGTERM")).toBe(0);
  });

  test("gives a picture to one user, of the caller who has sent it", async () => {
    const shop = await startShop(host, { DATA_DIR: temporaryFolder(), SHOP_AUTH: "on" });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const send = async (name: string, token: string) => {
      const form = new FormData();
      form.append("avatar", new File([Buffer.from(dot, "base64")], name, { type: "image/png" }));
      const sent = await fetch(`${shop.origin}/avatars`, { method: "POST", body: form, headers: as(token) });
      return ((await sent.json()) as { readonly id: string }).id;
    };
    const [first, second, others] = [await send("one.png", "alice"), await send("two.png", "alice"), await send("three.png", "carol")];
    const create = (email: string, avatar: string) => post(`${shop.origin}/users`, { name: "Ada", email, avatar }, as("alice"));
    const made = await create("ada@example.com", first);
    const { id } = (await made.json()) as { readonly id: number };
    expect(made.status).toBe(201);
    for (const avatar of [first, others]) {
      const refused = await create("other@example.com", avatar);
      expect([refused.status, await refused.json()]).toEqual([422, expect.objectContaining({ code: "FILE_NOT_AVAILABLE" })]);
    }
    const read = await fetch(`${shop.origin}/users/${id}?fields=avatar{url,size}`, { headers: as("alice") });
    const { avatar } = (await read.json()) as { readonly avatar: { readonly url: string } };
    expect(avatar).toEqual({ url: `/files/public/${first}`, size: expect.any(Number) });
    expect((await fetch(`${shop.origin}${avatar.url}`)).status).toBe(200);

    const remove = async (file: string) => (await fetch(`${shop.origin}/uploads/${file}`, { method: "DELETE", headers: as("alice") })).status;
    expect(await remove(first)).toBe(409);
    const merge = { ...as("alice"), "content-type": "application/merge-patch+json" };
    const patch = { method: "PATCH", headers: merge, body: JSON.stringify({ avatar: second }) };
    expect((await fetch(`${shop.origin}/users/${id}`, patch)).status).toBe(200);
    expect([await remove(first), await remove(second)]).toEqual([204, 409]);
    expect((await fetch(`${shop.origin}/users/${id}`, { method: "DELETE", headers: as("alice") })).status).toBe(204);
    expect([await remove(second), await shop.stop("SIGTERM")]).toEqual([204, 0]);
  });

  test("limits requests, trusts admins with other methods, and lets root choose a tenant", async () => {
    const switches = { SHOP_AUTH: "on", RATE_LIMIT: "5", TRUST_METHOD_OVERRIDE: "on", TENANT_HEADER: "on", TRUSTED_HOPS: "1" };
    const shop = await startShop(host, { DATA_DIR: ":memory:", ...switches });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const ofA = { ...as("root"), "x-tenant-id": "a" };
    expect((await post(`${shop.origin}/users`, { name: "Ada", email: "ada@example.com" }, ofA)).status).toBe(201);
    const patch = { "content-type": "application/merge-patch+json", "x-http-method-override": "PATCH" };
    expect((await post(`${shop.origin}/users/1`, { name: "Ada L." }, { ...as("carol"), ...patch })).status).toBe(403);
    const patched = await post(`${shop.origin}/users/1`, { name: "Ada L." }, { ...as("alice"), ...patch });
    expect([patched.status, patched.headers.get("x-ratelimit-remaining")]).toEqual([200, "4"]);
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) statuses.push((await fetch(`${shop.origin}/users`, { headers: as("alice") })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    // Guessing is counted by address, which the proxy names.
    const guess = (address: string) => fetch(`${shop.origin}/users`, { headers: { ...as("mallory"), "x-forwarded-for": address } });
    for (let index = 0; index < 5; index++) expect((await guess("192.0.2.1")).status).toBe(401);
    expect((await guess("192.0.2.1")).status).toBe(429);
    expect((await guess("192.0.2.2")).status).toBe(401);
    expect(await shop.stop("SIGTERM")).toBe(0);
  });
}
