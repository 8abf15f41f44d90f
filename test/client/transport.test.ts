import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  ApiError,
  attempt,
  type ClientOptions,
  createClient,
  NetworkError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnexpectedAnswerError,
} from "restwright/client";
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ShopService } from "./shopStage.js";

type Answer = Response | Error | "hang" | ((request: Request) => Response | Promise<Response>);

const json = (value: unknown, headers = {}) => new Response(JSON.stringify(value), { headers: { "content-type": "application/json", ...headers } });
const problem = (status: number, code = "SOME_CODE", headers = {}) =>
  new Response(JSON.stringify({ title: "A title", status, detail: "A detail.", code }), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });

/** A client whose requests get these answers, the last one for ever. */
function clientOf(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const requests: Request[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    if (answer === "hang" || answer === undefined) return new Promise(() => {});
    if (answer instanceof Error) throw answer;
    return typeof answer === "function" ? answer(request) : answer.clone();
  };
  const shop = createClient<ShopService>({ baseUrl: "http://shop.test/v1/", fetch, ...options } as never);
  return { shop, requests };
}

const keysOf = (requests: readonly Request[]) => requests.map(({ headers }) => headers.get("idempotency-key"));

// The waits between tries are random; here they are short.
const random = vi.spyOn(Math, "random").mockReturnValue(0.001);
afterAll(() => random.mockRestore());

describe("Retries", () => {
  const passing: Answer[] = [
    new TypeError("fetch failed"),
    ...[408, 423, 425, 429, 502, 503, 504].map((status) => problem(status)),
    new Response("<html>", { status: 502, headers: { "content-type": "text/html" } }),
    problem(500, "INTERNAL", { "retry-after": "0" }),
    problem(409, "IDEMPOTENCY_KEY_IN_FLIGHT", { "retry-after": "0" }),
    problem(409, "WRITE_CONFLICT"),
  ];
  test.each(passing.map((answer, index) => [index, answer] as const))("come after a failure that may pass (%i)", async (_, answer) => {
    const { shop, requests } = clientOf([answer, answer, json({ id: 7 })]);
    expect(await shop.users.create({ name: "a", email: "a@b.c" })).toEqual({ id: 7 });
    const [first, ...others] = keysOf(requests);
    expect(first).toMatch(/^[0-9-]{31,}$/);
    expect(others).toEqual([first, first]);
    expect(requests.map(({ url }) => url)).toEqual(Array.from({ length: 3 }, () => "http://shop.test/v1/users"));
  });

  test.each([400, 403, 404, 409, 412, 413, 422, 500, 501])("do not come after %i", async (status) => {
    const { shop, requests } = clientOf([problem(status)]);
    await expect(shop.users.create({ name: "a", email: "a@b.c" })).rejects.toMatchObject({ status, attempts: 1, code: "SOME_CODE" });
    expect(requests).toHaveLength(1);
  });

  test("end after maxRetries, and each call has a key of its own", async () => {
    const { shop, requests } = clientOf([problem(503)]);
    await expect(shop.users.create({ name: "a", email: "a@b.c" })).rejects.toMatchObject({ name: "ServerError", attempts: 3 });
    await expect(shop.users.create({ name: "a", email: "a@b.c" }, { maxRetries: 0 })).rejects.toMatchObject({ attempts: 1 });
    await expect(shop.users.remove(7, { maxRetries: 1, idempotencyKey: "a-key-of-my-own-7" })).rejects.toMatchObject({ attempts: 2 });
    expect(new Set(keysOf(requests)).size).toBe(3);
    expect(keysOf(requests).slice(4)).toEqual(["a-key-of-my-own-7", "a-key-of-my-own-7"]);
  });

  test("of reads need no key; without one POST and PATCH are sent once, PUT and DELETE again", async () => {
    const tries = async (idempotencyKeys: ClientOptions["idempotencyKeys"]) => {
      const { shop, requests } = clientOf([problem(503)], { idempotencyKeys, maxRetries: 1 });
      const row = { name: "a", email: "a@b.c" };
      const calls: (() => Promise<unknown>)[] = [
        () => shop.users.get(7),
        () => shop.users.create(row),
        () => shop.users.update(7, row),
        () => shop.users.replace(7, row),
        () => shop.users.remove(7),
      ];
      for (const call of calls) await attempt(call());
      await attempt(shop.users.list({ where: { or: [{ id: 1 }] } }));
      return requests.map(({ method, headers }) => (headers.has("idempotency-key") ? `${method}+` : method)).toSorted();
    };
    expect(await tries("all")).toEqual(["DELETE+", "DELETE+", "GET", "GET", "PATCH+", "PATCH+", "POST", "POST", "POST+", "POST+", "PUT+", "PUT+"]);
    expect(await tries("post")).toEqual(["DELETE", "DELETE", "GET", "GET", "PATCH", "POST", "POST", "POST+", "POST+", "PUT", "PUT"]);
    expect(await tries(false)).toEqual(["DELETE", "DELETE", "GET", "GET", "PATCH", "POST", "POST", "POST", "PUT", "PUT"]);
  });

  test("do not send a stream again", async () => {
    const { shop, requests } = clientOf([problem(503)]);
    const stream = new Blob(["name"]).stream() as ReadableStream<Uint8Array>;
    await expect(shop.users.import(stream, { format: "csv" })).rejects.toMatchObject({ status: 503, attempts: 1 });
    expect(requests).toHaveLength(1);
  });
});

describe("Waits", () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const now = new Date("2026-01-01T00:00:00Z");

  test.each(["3", "Thu, 01 Jan 2026 00:00:03 GMT"])("are as long as Retry-After says: %s", async (retryAfter) => {
    vi.useFakeTimers({ now });
    const { shop, requests } = clientOf([problem(429, "RATE_LIMITED", { "retry-after": retryAfter }), json({ id: 7 })]);
    const done = shop.users.get(7);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await done).toEqual({ id: 7 });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("are not longer than allowed: such an answer fails at once", async () => {
    const { shop, requests } = clientOf([problem(429, "RATE_LIMITED", { "retry-after": "61" })]);
    const failed = await attempt(shop.users.get(7));
    expect(failed).toMatchObject({ error: { retryAfterMs: 61_000, attempts: 1 } });
    expect((failed as { error: unknown }).error).toBeInstanceOf(RateLimitedError);
    await expect(shop.users.get(7, { maxRetryAfterMs: 100 })).rejects.toThrow(RateLimitedError);
    expect(requests).toHaveLength(2);
  });

  test("grow with the tries and are random, up to 8 seconds", async () => {
    vi.useFakeTimers({ now });
    random.mockReturnValue(0.999);
    onTestFinished(() => void random.mockReturnValue(0.001));
    const { shop, requests } = clientOf([problem(503)], { maxRetries: 6 });
    const done = attempt(shop.users.get(7));
    const times: number[] = [];
    for (let ms = 0; ms < 40_000; ms += 100) {
      await vi.advanceTimersByTimeAsync(100);
      if (requests.length > times.length + 1) times.push(ms);
    }
    await done;
    expect(times.map((each, index) => each - (times[index - 1] ?? 0)).map((each) => Math.round(each / 500) * 500)).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 8_000,
    ]);
  });

  test("for an answer end after timeoutMs, each try by itself", async () => {
    vi.useFakeTimers({ now });
    const { shop, requests } = clientOf(["hang"], { timeoutMs: 1_000, maxRetries: 1 });
    const done = attempt(shop.users.get(7));
    await vi.advanceTimersByTimeAsync(3_000);
    const { error } = (await done) as { error: TimeoutError };
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).not.toBeInstanceOf(ApiError);
    expect(error.attempts).toBe(2);
    expect(requests).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("An abort", () => {
  const waiting: [string, Answer][] = [
    ["of the answer", "hang"],
    ["of a retry", problem(503, "STORAGE_UNAVAILABLE", { "retry-after": "30" })],
    [
      "of the body",
      () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), { headers: { "content-type": "application/json" } }),
    ],
  ];
  test.each(waiting)("ends the wait for the rest %s at once", async (_, answer) => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const controller = new AbortController();
    const { shop } = clientOf([answer]);
    const done = attempt(shop.users.get(7, { signal: controller.signal }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const reason = new Error("enough");
    const begun = performance.now();
    controller.abort(reason);
    expect(await done).toEqual({ ok: false, error: reason });
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(timers()).toBeLessThanOrEqual(before);
  });

  test("has no listener when a call has ended", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const row = json({ id: 7 });
    const rows = () => new Response('{"id":1}\n{"id":2}\n', { headers: { "content-type": "application/x-ndjson" } });
    const { shop } = clientOf([problem(503, "STORAGE_UNAVAILABLE", { "retry-after": "0" }), row, new TypeError("fetch failed"), row, rows, rows]);
    await shop.users.get(7, { signal });
    await shop.users.get(7, { signal });
    for await (const { id } of shop.users.export({ signal })) expect(id).toBeGreaterThan(0);
    for await (const { id } of shop.users.export({ signal })) if (id === 1) break;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("ends the wait for credentials at once", async () => {
    const controller = new AbortController();
    const { shop, requests } = clientOf([json({})], { auth: () => new Promise(() => {}) });
    const done = attempt(shop.users.get(7, { signal: controller.signal }));
    setTimeout(() => controller.abort(new Error("enough")), 5);
    expect(await done).toMatchObject({ ok: false, error: { message: "enough" } });
    expect(requests).toEqual([]);
  });

  test("before a call sends nothing", async () => {
    const { shop, requests } = clientOf([json({})]);
    await expect(shop.users.get(7, { signal: AbortSignal.abort(new Error("over")) })).rejects.toThrow("over");
    expect(requests).toEqual([]);
  });

  test("ends a stream of rows", async () => {
    const controller = new AbortController();
    const rows = () =>
      new Response(
        new ReadableStream({
          start: (body) => body.enqueue(new TextEncoder().encode('{"id":1}\n{"id":2}\n{"i')),
          pull: () => new Promise(() => {}),
        }),
        { headers: { "content-type": "application/x-ndjson" } },
      );
    const { shop } = clientOf([rows]);
    const seen: unknown[] = [];
    const done = (async () => {
      for await (const row of shop.users.export({ signal: controller.signal })) {
        seen.push(row);
        if (seen.length === 2) setTimeout(() => controller.abort(new Error("enough")), 10);
      }
    })();
    await expect(done).rejects.toThrow("enough");
    expect(seen).toEqual([{ id: 1 }, { id: 2 }]);
  });
});

describe("Errors", () => {
  const once = { maxRetries: 0 };
  test("of the network have one name, whatever the platform says", async () => {
    for (const cause of [new TypeError("fetch failed"), new TypeError("Failed to fetch"), new TypeError("Load failed"), new Error("ECONNRESET")]) {
      const { error } = (await attempt(clientOf([cause], once).shop.users.get(7))) as { error: NetworkError };
      expect(error).toBeInstanceOf(NetworkError);
      expect(error).toMatchObject({ name: "NetworkError", cause, attempts: 1 });
    }
  });

  test("tell of answers that are not the service's", async () => {
    const page = `<html>${"x".repeat(500)}</html>`;
    const html = (status: number) => new Response(page, { status, headers: { "content-type": "text/html" } });
    for (const answer of [html(200), html(404), html(502), json("x").clone()]) {
      const { error } = (await attempt(clientOf([answer], once).shop.users.get(7))) as { error: UnexpectedAnswerError };
      if (answer.status === 200 && answer.headers.get("content-type") === "application/json") expect(error).toBeUndefined();
      else expect(error).toMatchObject({ name: "UnexpectedAnswerError", status: answer.status, text: page.slice(0, 200), attempts: 1 });
    }
    const half = new Response('{"id": 7, "na', { headers: { "content-type": "application/json" } });
    await expect(clientOf([half], once).shop.users.get(7)).rejects.toThrow(UnexpectedAnswerError);
  });

  test("are known by a second copy of the module", async () => {
    const path = "../../src/client/errors.js?copy";
    const copy: typeof import("restwright/client") = await import(path);
    expect(copy.ServerError).not.toBe(ServerError);
    const { error } = (await attempt(clientOf([problem(503)], once).shop.users.get(7))) as { error: unknown };
    expect(error).toBeInstanceOf(copy.ServerError);
    expect(error).toBeInstanceOf(copy.ApiError);
    expect(error).toBeInstanceOf(copy.ClientError);
    expect(error).not.toBeInstanceOf(copy.NotFoundError);
    expect({}).not.toBeInstanceOf(copy.ClientError);
    expect(new Error("a")).not.toBeInstanceOf(copy.ClientError);
  });

  test("of a refused connection are thrown over real sockets too", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const shop = createClient<ShopService>({ baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 });
    await expect(shop.users.get(7)).rejects.toThrow(NetworkError);
  });
});

describe("Credentials", () => {
  test("are renewed once for calls at the same time", async () => {
    const asked: boolean[] = [];
    let token = "old";
    const answer = async ({ headers }: Request) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20_000));
      return headers.get("authorization") === "new" ? json({ id: 7 }) : problem(401, "UNAUTHENTICATED");
    };
    const { shop, requests } = clientOf([answer], {
      async auth({ refused }) {
        asked.push(refused);
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (refused) token = "new";
        return { authorization: token };
      },
    });
    const rows = await Promise.all(Array.from({ length: 50 }, (_, id) => shop.users.get(id)));
    expect(rows).toHaveLength(50);
    expect(asked.filter(Boolean)).toHaveLength(1);
    expect(requests).toHaveLength(100);
  });

  test("that are refused twice are an error, and a fault of auth is thrown", async () => {
    const { shop, requests } = clientOf([problem(401, "UNAUTHENTICATED")], { auth: () => ({ authorization: "wrong" }) });
    await expect(shop.users.get(7)).rejects.toMatchObject({ name: "AuthenticationError", attempts: 2 });
    expect(requests).toHaveLength(2);
    const fault = clientOf([json({})], { auth: () => Promise.reject(new Error("no token")) });
    await expect(fault.shop.users.get(7)).rejects.toThrow("no token");
    await expect(fault.shop.users.get(8)).rejects.toThrow("no token");
    expect(fault.requests).toEqual([]);
  });
});

test("Hooks see each try, and cannot change it", async () => {
  const seen: unknown[] = [];
  const { shop } = clientOf([problem(503), json({ id: 7 })], {
    onRequest: (each) => seen.push(each),
    onResponse: ({ headers: _, ...each }) => seen.push(each),
  });
  await shop.users.get(7);
  const about = { operation: "users.get", method: "GET", url: "http://shop.test/v1/users/7" };
  expect(seen).toEqual([
    { ...about, attempt: 1 },
    { ...about, attempt: 1, status: 503 },
    { ...about, attempt: 2 },
    { ...about, attempt: 2, status: 200 },
  ]);
});

test.each([null, 0, false, "", [], {}])("An answer may be %j", async (value) => {
  const { shop } = clientOf([json(value)]);
  const loose = shop as unknown as Record<string, Record<string, (...given: unknown[]) => Promise<unknown>>>;
  expect(await loose["orders"]?.["total"]?.({})).toEqual(value);
});

test("An answer without a body is undefined, and a signal that aborts meanwhile ends the call before it sends anything", async () => {
  const { shop } = clientOf([new Response(null, { status: 204 })]);
  expect(await shop.users.get(7)).toBeUndefined();
  const controller = new AbortController();
  const auth = async () => {
    controller.abort(new Error("enough"));
    return { authorization: "late" };
  };
  const { shop: late, requests } = clientOf([json({})], { auth });
  await expect(late.users.get(7, { signal: controller.signal })).rejects.toThrow("enough");
  expect(requests).toEqual([]);
});

test("Paths, values and actions are sent as the service reads them", async () => {
  const { shop, requests } = clientOf([json({ id: 7 })], { reads: { orders: ["statistics"] } });
  const loose = shop as unknown as Record<string, Record<string, (...given: unknown[]) => Promise<unknown>>>;
  await loose["lines"]?.["get"]?.([7, "a,b/c"]);
  await loose["lines"]?.["create"]?.({ big: 12n, at: new Date(0), gone: undefined });
  await loose["orders"]?.["statistics"]?.({ least: 5, tags: ["a", "b&c"], since: new Date(0), none: undefined });
  await loose["orders"]?.["cancel"]?.([7, 2], undefined, { ifMatch: '"1"' });
  await loose["orders"]?.["close"]?.();
  const sent = await Promise.all(requests.map(async (each) => [each.method, each.url.slice("http://shop.test/v1".length), await each.text()]));
  expect(sent).toEqual([
    ["GET", "/lines/7,a%2Cb%2Fc", ""],
    ["POST", "/lines", '{"big":"12","at":"1970-01-01T00:00:00.000Z"}'],
    ["GET", "/orders/statistics?least=5&tags=a&tags=b%26c&since=1970-01-01T00%3A00%3A00.000Z", ""],
    ["POST", "/orders/7,2/cancel", ""],
    ["POST", "/orders/close", ""],
  ]);
  expect(requests.map(({ headers }) => headers.get("content-type"))).toEqual([null, "application/json", null, null, null]);
  expect(requests[3]?.headers.get("if-match")).toBe('"1"');
});
