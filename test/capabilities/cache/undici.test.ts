import { Agent, cacheStores, type Dispatcher, interceptors, request } from "undici";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { cacheSite, schemes } from "./cacheSite.js";

const site = cacheSite();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  site.seen.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

/** A client with a cache, as undici has it. */
function clientOf(type: "shared" | "private") {
  const agent = new Agent();
  onTestFinished(() => agent.close());
  const dispatcher = agent.compose(interceptors.cache({ type, store: new cacheStores.MemoryCacheStore(), methods: ["GET", "HEAD"] }));
  return async (path: string, headers: Record<string, string> = {}, sent: { method?: Dispatcher.HttpMethod; body?: string } = {}) => {
    const { statusCode, headers: answered, body } = await request(`${site.origin}${path}`, { dispatcher, method: "GET", headers, ...sent });
    return { status: statusCode, headers: answered, text: await body.text() };
  };
}

describe.each(Object.entries(schemes))("the cache of undici, for callers with %s,", (_, as) => {
  test("gives one caller the shared answer of another, without asking", async () => {
    const path = await site.create("products", "a lamp");
    const read = clientOf("shared");
    const answers = [await read(path, as("ann")), await read(path, as("bob")), await read(path)];
    expect(answers.map(({ text }) => JSON.parse(text).title)).toEqual(["a lamp", "a lamp", "a lamp"]);
    expect(site.seen).toHaveLength(1);
  });

  test.each(["shared", "private"] as const)("(%s) never gives one caller the private answer of another", async (type) => {
    const path = await site.create("orders", "of ann");
    const list = "/orders?sort=-id&perPage=1";
    const read = clientOf(type);
    const own = [await read(path, as("ann")), await read(list, as("ann"))];
    expect(own.map(({ status, text }) => [status, text.includes("of ann")])).toEqual([
      [200, true],
      [200, true],
    ]);
    const others = [await read(path, as("bob")), await read(path), await read(list, as("bob")), await read(list)];
    expect(others.map(({ status, text }) => [status, text.includes("of ann")])).toEqual([404, 401, 200, 401].map((status) => [status, false]));
    expect((await read(path, as("ann"))).text).toContain("of ann");
  });
});

describe("the cache of undici", () => {
  const ann = { "x-api-key": "ann" };

  test.each([
    ["shared", "products", 300],
    ["private", "products", 60],
    ["private", "orders", 40],
  ] as const)("(%s) uses %s for %d seconds, then asks with the tag, and serves the stored body after a 304", async (type, collection, seconds) => {
    const path = await site.create(collection, "a");
    const read = clientOf(type);
    const { headers } = await read(path, ann);
    pass(seconds - 2);
    await read(path, ann);
    expect(site.seen).toHaveLength(1);
    pass(4);
    const again = await read(path, ann);
    expect([again.status, again.text.includes('"a"')]).toEqual([200, true]);
    expect(site.seen.map(({ status, ifNoneMatch }) => [status, ifNoneMatch])).toEqual([
      [200, undefined],
      [304, headers["etag"]],
    ]);
  });

  test.each([
    ["shared", 300],
    ["private", 60],
  ] as const)("(%s) never uses a row that has changed for longer than its rule says", async (type, seconds) => {
    const path = await site.create("products", "before");
    const read = clientOf(type);
    await read(path);
    await site.change(path, "after");
    pass(seconds - 2);
    expect((await read(path)).text).toContain("before");
    pass(4);
    expect((await read(path)).text).toContain("after");
    expect(site.seen.map(({ status }) => status)).toEqual([200, 200]);
  });

  test.each(["PATCH", "PUT", "DELETE"] as const)("forgets a row when a %s of it passes through", async (method) => {
    const path = await site.create("products", "before");
    const read = clientOf("shared");
    await read(path);
    const body = method === "DELETE" ? {} : { body: JSON.stringify({ title: "after" }) };
    const written = await read(path, { ...ann, ...(method !== "DELETE" && { "content-type": "application/json" }) }, { method, ...body });
    expect(written.status).toBeLessThan(300);
    const { status, text } = await read(path);
    expect([status, text.includes("before")]).toEqual([method === "DELETE" ? 404 : 200, false]);
  });

  test("stores no errors, and no answers to writes", async () => {
    const read = clientOf("shared");
    const path = await site.create("products", "a");
    for (let turn = 0; turn < 2; turn++) {
      await read("/products/999");
      await read("/products?nope=1");
      await read("/orders");
      await read(path, { "if-match": '"x"' });
      await read("/products", { authorization: "Bearer eve" });
    }
    expect(site.seen.map(({ status }) => status)).toEqual([404, 400, 401, 412, 401, 404, 400, 401, 412, 401]);
  });
});
