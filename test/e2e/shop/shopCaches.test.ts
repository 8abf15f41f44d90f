// @long

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/engines.js";
import { type ProxyCache, startNginx, startVarnish } from "./proxyCaches.js";
import { type ShopProcess, startShop } from "./shopProcess.js";

const origins = ["https://a.example", "https://b.example"] as const;
const as = (token: string) => ({ authorization: `Bearer ${token}` });

/** Credentials of tenant a and of tenant b. */
const callers = [
  [as("alice"), as("bob")],
  [{ "x-api-key": "key-alice" }, { "x-api-key": "key-bob" }],
  [{ authorization: `Basic ${Buffer.from("alice:wonderland").toString("base64")}` }, as("bob")],
] as const;

/** A picture of one pixel. */
const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

for (const [name, engine, start] of [
  ["nginx", "nginx", startNginx],
  ["Varnish", "varnish", startVarnish],
] as const) {
  describe(`the shop behind ${name} (set ${name === "nginx" ? "NGINX" : "VARNISHD"} to run)`, needs(engine), () => {
    let shop: ShopProcess;
    let cache: ProxyCache;
    beforeAll(async () => {
      shop = await startShop("fastify", { DATA_DIR: ":memory:", SHOP_AUTH: "on", CORS_ORIGINS: origins.join(",") });
      cache = await start(Number(new URL(shop.origin).port));
    }, 60_000);
    afterAll(async () => {
      await cache?.stop();
      await shop?.stop("SIGTERM");
    });

    async function send(target: string, headers: Record<string, string> = {}, method = "GET", body?: unknown) {
      const json = body === undefined ? {} : { "content-type": "application/json" };
      const answer = await fetch(`${cache.origin}${target}`, {
        method,
        headers: { ...json, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return {
        status: answer.status,
        headers: answer.headers,
        bytes: Buffer.from(await answer.arrayBuffer()),
        id: answer.headers.get("x-request-id"),
      };
    }
    const create = async (target: string, body: unknown, headers: Record<string, string> = as("alice")) => {
      const { status, headers: answered } = await send(target, headers, "POST", body);
      expect(status).toBe(201);
      return answered.get("location") ?? "";
    };

    test("has one answer about a product for all tenants and for callers without credentials", async () => {
      const target = await create("/products", { sku: "LAMP-1", title: "A lamp", price: 19.9 });
      const answers: Awaited<ReturnType<typeof send>>[] = [];
      for (const headers of [{}, ...callers.flat()]) answers.push(await send(target, headers));
      expect(answers.map(({ status, id }) => [status, id])).toEqual(answers.map(() => [200, answers[0]?.id]));
      expect((await send(target, as("carol"), "PATCH", { price: 1 })).status).toBe(403);
      expect((await send(target, {}, "DELETE")).status).toBe(401);
    });

    test.each(callers)("never shows what tenant a has to tenant b: %j, %j", async (ofA, ofB) => {
      const customer = await create("/users", { name: "Ada", email: `${crypto.randomUUID()}@example.com` });
      const order = await create("/orders", { customerId: Number(customer.split("/").at(-1)), total: 12.5, currency: "EUR" });
      for (const target of [customer, order, `${customer}/orders`, `${order}?include=customer`]) {
        for (let turn = 0; turn < 2; turn++) {
          expect([target, (await send(target, ofA)).status]).toEqual([target, 200]);
          expect([target, (await send(target, ofB)).status]).toEqual([target, 404]);
          expect([target, (await send(target)).status]).toEqual([target, 401]);
        }
      }
      for (const list of ["/users", "/orders"]) {
        expect(JSON.parse((await send(list, ofA)).bytes.toString()).data).not.toEqual([]);
        expect(JSON.parse((await send(list, ofB)).bytes.toString()).data).toEqual([]);
      }
    });

    test("keeps formats, versions and content codings apart", async () => {
      const title = "A lamp that has a long name. ".repeat(3);
      for (let index = 0; index < 12; index++) await create("/products", { sku: `APART-${index}`, title, price: index });
      const plain = { "accept-encoding": "identity" };
      const cases: readonly (readonly [Record<string, string>, string, string, string | null])[] = [
        [plain, "application/json", "v1", null],
        [{ ...plain, accept: "text/csv" }, "text/csv; charset=utf-8", "v1", null],
        [{ ...plain, accept: "application/x-ndjson" }, "application/x-ndjson", "v1", null],
        [{ ...plain, accept: "application/vnd.shop.v2+json" }, "application/vnd.shop.v2+json", "v2", null],
        [{ ...plain, "x-api-version": "v2" }, "application/json", "v2", null],
        [{ "accept-encoding": "gzip" }, "application/json", "v1", "gzip"],
      ];
      const ids = new Map<number, string | null>();
      for (let turn = 0; turn < 3; turn++) {
        for (const [index, [headers, type, version, coding]] of cases.entries()) {
          const answer = await send("/products?perPage=12&sort=-id", headers);
          const given = ["content-type", "x-api-version", "content-encoding"].map((name) => answer.headers.get(name));
          expect([answer.status, ...given]).toEqual([200, type, version, coding]);
          // The second answer is the first: all of them may be stored.
          if (turn === 0) ids.set(index, answer.id);
          else expect(answer.id).toBe(ids.get(index));
        }
      }
    });

    test("gives pages of two origins the answers that their browsers accept", async () => {
      const target = await create("/products", { sku: "LAMP-2", title: "A lamp", price: 5 });
      const ids = new Set();
      for (let turn = 0; turn < 2; turn++) {
        for (const origin of origins) {
          const { headers, id } = await send(target, { origin });
          expect(headers.get("access-control-allow-origin")).toBe(origin);
          ids.add(id);
        }
        const { headers, id } = await send(target, { origin: "https://evil.example" });
        expect(headers.get("access-control-allow-origin")).toBeNull();
        ids.add(id);
      }
      expect(ids.size).toBe(3);
    });

    test("has the pictures, and answers ranges of them", async () => {
      const form = new FormData();
      form.append("avatar", new File([dot], "dot.png", { type: "image/png" }));
      const sent = await fetch(`${cache.origin}/avatars`, { method: "POST", body: form, headers: as("carol") });
      const { url } = (await sent.json()) as { readonly url: string };
      const whole = await send(url);
      expect([whole.status, whole.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
      const again = await send(url, as("bob"));
      expect([again.id, again.bytes.equals(whole.bytes)]).toEqual([whole.id, true]);
      const part = await send(url, { range: "bytes=1-3" });
      expect([part.status, part.bytes.toString(), part.headers.get("content-range")]).toEqual([206, "PNG", `bytes 1-3/${whole.bytes.length}`]);
    });

    test("repeats no answer of a key for another caller, and executes each write", async () => {
      const key = { "idempotency-key": crypto.randomUUID() };
      const pay = (token: string) => send("/payments", { ...as(token), ...key }, "POST", { amount: 5, currency: "EUR" });
      const [first, again, other] = [await pay("alice"), await pay("alice"), await pay("bob")];
      expect([first.status, again.status, other.status]).toEqual([201, 201, 201]);
      expect([again.headers.get("idempotent-replayed"), again.headers.get("cache-control")]).toEqual(["true", "no-store"]);
      expect(other.headers.get("idempotent-replayed")).toBeNull();
    });
  });
}
