import { attempt, createClient, ForbiddenError, UnexpectedAnswerError } from "restwright/client";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { untilTrue } from "../../tools/eventually.js";
import type { ShopService } from "../shopStage.js";
import { quickly, startRowServer, wire } from "./rowServer.js";

type Events = AsyncIterable<object>;

/** The iterator of a watch. */
const follow = (events: Events) => events[Symbol.asyncIterator]();

/** The next events. */
async function take(iterator: AsyncIterator<object>, count: number): Promise<object[]> {
  const taken: object[] = [];
  while (taken.length < count) taken.push((await iterator.next()).value);
  return taken;
}

describe("watch", () => {
  test("asks for the rows of a filter, and yields what happens to them", async () => {
    const server = await startRowServer();
    const shop = server.client({ auth: () => ({ authorization: "Bearer a" }), tenant: "a" });
    const events = follow(
      shop.orders.watch({ where: { total: { gte: 5 }, status: ["open", "paid"] }, fields: ["id", "total"], include: ["customer"], language: "de" }),
    );
    const first = events.next();
    const stream = await server.stream();
    expect(Object.fromEntries(stream.url.searchParams)).toEqual({
      "total[gte]": "5",
      "status[in]": "open,paid",
      fields: "id,total",
      include: "customer",
    });
    expect(stream.url.pathname).toBe("/v1/orders");
    expect(stream.headers).toMatchObject({ authorization: "Bearer a", "x-tenant-id": "a", "accept-language": "de" });
    expect(stream.headers).not.toHaveProperty("last-event-id");
    stream.send(`retry: 2000\n\n${wire("ready", {}, "p1")}`);
    expect(await first).toEqual({ done: false, value: { kind: "ready", position: "p1" } });
    stream.send(wire("created", { id: 7, version: "v1", row: { id: 7, total: 5 } }));
    stream.send(wire("changed", { id: 7, version: "v2", row: { id: 7, total: 6 } }, "p2"));
    stream.send(`: comment\n\nid: p3\n\n${wire("left", { id: 8 })}${wire("unknown", { id: 9 })}data: {}\n\n`);
    stream.send(`${wire("removed", { id: 7, version: "v3" }, "p4")}${wire("reset")}`);
    expect(await take(events, 5)).toEqual([
      { kind: "created", id: 7, version: "v1", row: { id: 7, total: 5 } },
      { kind: "changed", id: 7, version: "v2", row: { id: 7, total: 6 }, position: "p2" },
      { kind: "left", id: 8 },
      { kind: "removed", id: 7, version: "v3", position: "p4" },
      { kind: "reset" },
    ]);
    await events.return?.();
  });

  test("begins at a position that was kept, and may send nothing before it is iterated", async () => {
    const server = await startRowServer();
    const events = server.client().orders.watch({ after: "p9" });
    expect(server.counts.streams).toBe(0);
    const iterator = follow(events);
    void iterator.next();
    const stream = await server.stream();
    expect(stream.headers["last-event-id"]).toBe("p9");
    await iterator.return?.();
    await stream.closed;
  });

  test.each<[string, object, string]>([
    ["or", { or: [{ id: 1 }] }, "must fit into a query string"],
    ["null", { note: null }, "must fit into a query string"],
    ["too long", { note: { in: Array.from({ length: 2_000 }, (_, index) => `n${index}`) } }, "7000 bytes"],
    ["undefined", { note: undefined }, '"note" is undefined'],
  ])("refuses a filter that cannot be sent: %s", async (_, where, text) => {
    const server = await startRowServer();
    await expect(follow(server.client().orders.watch({ where } as never)).next()).rejects.toThrow(text);
    await expect(follow(server.client().orders.watch({ sort: "id" } as never)).next()).rejects.toThrow('orders.watch has no option "sort"');
    expect(server.counts.streams).toBe(0);
  });
});

describe("A connection that ends", () => {
  test.each(["end", "cut"] as const)("is opened again with the last position (%s)", async (how) => {
    const server = await startRowServer();
    const events = follow(server.client().orders.watch());
    const ready = take(events, 2);
    const first = await server.stream();
    first.send(`${quickly}${wire("ready", {}, "p1")}id: p2\n\n${wire("left", { id: 1 })}event: left\nid: p3\ndata: {"id":2}\n`);
    await ready;
    const next = take(events, 1);
    first[how]();
    const second = await server.stream();
    expect(second.headers["last-event-id"]).toBe("p2");
    second.send(wire("left", { id: 2 }, "p3"));
    expect(await next).toEqual([{ kind: "left", id: 2, position: "p3" }]);
    await events.return?.();
  });

  test("is opened afresh if no ready came, no position, or nothing after a reset", async () => {
    const server = await startRowServer();
    const events = follow(server.client().orders.watch());
    const taken = take(events, 3);
    const positions: unknown[] = [];
    for (const text of ["id: p1\n\n", wire("ready"), `${wire("ready", {}, "p2")}${wire("reset", {}, "p3")}`]) {
      const stream = await server.stream();
      positions.push(stream.headers["last-event-id"]);
      stream.send(quickly + text);
      stream.end();
    }
    expect(await taken).toEqual([{ kind: "ready" }, { kind: "ready", position: "p2" }, { kind: "reset", position: "p3" }]);
    void events.next();
    positions.push((await server.stream()).headers["last-event-id"]);
    expect(positions).toEqual([undefined, undefined, undefined, undefined]);
    await events.return?.();
  });

  test("forgets the position if the service takes it back", async () => {
    const server = await startRowServer();
    const events = follow(server.client().orders.watch({ after: "p1" }));
    const taken = events.next();
    const first = await server.stream();
    first.send(`${quickly}id\n\n`);
    first.end();
    const second = await server.stream();
    expect(second.headers).not.toHaveProperty("last-event-id");
    second.send(wire("ready"));
    await taken;
    await events.return?.();
  });

  test.each([408, 429, 500, 502, 503])("is opened again after %i", async (status) => {
    const server = await startRowServer();
    const events = follow(server.client().orders.watch({ after: "p1" }));
    const taken = events.next();
    (await server.stream()).refuse(status, { "retry-after": "0" });
    const second = await server.stream();
    expect(second.headers["last-event-id"]).toBe("p1");
    second.send(wire("left", { id: 1 }));
    expect(await taken).toEqual({ done: false, value: { kind: "left", id: 1 } });
    await events.return?.();
  });

  test.each<[number, unknown]>([
    [400, { code: "REFUSED" }],
    [401, { name: "AuthenticationError" }],
    [403, { name: "ForbiddenError" }],
    [404, { status: 404 }],
    [406, { status: 406 }],
    [413, { status: 413 }],
  ])("is not opened again after %i", async (status, error) => {
    const server = await startRowServer();
    const events = follow(server.client().orders.watch());
    const failed = attempt(events.next());
    (await server.stream()).refuse(status);
    expect(await failed).toMatchObject({ ok: false, error });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(server.counts.streams).toBe(1);
  });

  test("waits after 413 only if the service says for how long", async () => {
    const server = await startRowServer();
    const events = follow(server.client().orders.watch());
    const taken = events.next();
    (await server.stream()).refuse(413, { "retry-after": "0" });
    (await server.stream()).send(wire("ready"));
    expect(await taken).toMatchObject({ value: { kind: "ready" } });
    await events.return?.();
  });

  test("gets renewed credentials", async () => {
    const server = await startRowServer();
    const asked: boolean[] = [];
    const auth = ({ refused }: { readonly refused: boolean }) => {
      asked.push(refused);
      return { authorization: `Bearer ${asked.length}` };
    };
    const events = follow(server.client({ auth }).orders.watch());
    const failed = attempt(events.next());
    (await server.stream()).refuse(401);
    const second = await server.stream();
    expect(second.headers.authorization).toBe("Bearer 2");
    second.refuse(403);
    expect(await failed).toMatchObject({ error: expect.any(ForbiddenError) });
    expect(asked).toEqual([false, true]);
  });

  test.each<[string, (server: Awaited<ReturnType<typeof startRowServer>>) => Promise<void>, string]>([
    ["a list", async (server) => (await server.stream()).rows([]), "no stream of events, but application/json"],
    ["an event without JSON", async (server) => (await server.stream()).send("event: left\ndata: {\n\n"), "an event without JSON: {"],
    ["an event that is too long", async (server) => (await server.stream()).send(`data: ${"x".repeat(2 ** 20)}`), "longer than"],
  ])("fails if the answer is %s, and ends the request", async (_, answer, text) => {
    const server = await startRowServer();
    const failed = attempt(follow(server.client().orders.watch()).next());
    await answer(server);
    const { error } = (await failed) as { error: UnexpectedAnswerError };
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error.text).toContain(text);
    expect(server.counts.streams).toBe(1);
  });
});

describe("A watch ends its request", () => {
  test("when its loop is left", async () => {
    const server = await startRowServer();
    const left = (async () => {
      for await (const event of server.client().orders.watch()) return event;
      return undefined;
    })();
    const stream = await server.stream();
    stream.send(wire("ready"));
    expect(await left).toEqual({ kind: "ready" });
    await stream.closed;
    expect(server.counts.streams).toBe(1);
  });

  test("when it is returned while an event is awaited, before the answer and after it", async () => {
    const server = await startRowServer();
    for (const isOpen of [false, true]) {
      const events = follow(server.client().orders.watch());
      const pending = events.next();
      const stream = await server.stream();
      if (isOpen) stream.send(quickly);
      expect(await events.return?.()).toEqual({ done: true, value: undefined });
      expect(await pending).toEqual({ done: true, value: undefined });
      await stream.closed;
    }
  });

  test("while it waits to open it again", async () => {
    const server = await startRowServer();
    const events = follow(server.client().orders.watch());
    const pending = events.next();
    (await server.stream()).refuse(503, { "retry-after": "3600" });
    await events.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(server.counts.streams).toBe(1);
  });

  test("before it has begun, without a request", async () => {
    const server = await startRowServer();
    const events = follow(server.client().orders.watch());
    await events.return?.();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(server.counts.streams).toBe(0);
  });

  test.each(["of the call", "of the client"])("when the signal %s aborts, with its reason", async (whose) => {
    const server = await startRowServer();
    const controller = new AbortController();
    const { signal } = controller;
    const isOfCall = whose === "of the call";
    const events = follow(server.client(isOfCall ? {} : { signal }).orders.watch(isOfCall ? { signal } : {}));
    const failed = attempt(events.next());
    const stream = await server.stream();
    stream.send(quickly);
    controller.abort(new Error("enough"));
    expect(await failed).toEqual({ ok: false, error: new Error("enough") });
    await stream.closed;
    expect(await attempt(follow(server.client().orders.watch({ signal })).next())).toEqual({ ok: false, error: new Error("enough") });
    expect(server.counts.streams).toBe(1);
  });
});

describe("Times", () => {
  // What is loaded on demand does not wait for fake timers.
  beforeAll(() => import("../../../src/client/following.js"));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** A client whose streams are bodies of the test, with fake timers. */
  function openStreams(answer: (attempt: number) => Response | undefined = () => undefined) {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
    const times: number[] = [];
    const fetch = async () => {
      times.push(Date.now());
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void bodies.push(controller) });
      return answer(times.length) ?? new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const shop = createClient<ShopService>({ baseUrl: "http://shop.test/v1", fetch } as never);
    const send = (text: string) => bodies.at(-1)?.enqueue(new TextEncoder().encode(text));
    return { shop, send, bodies, times, waits: () => times.slice(1).map((time, index) => time - (times[index] ?? 0)) };
  }
  const refused = (status: number, headers = {}) =>
    new Response(JSON.stringify({ status, detail: "no", code: "NO" }), {
      status,
      headers: { "content-type": "application/problem+json", ...headers },
    });

  test("a connection without a byte for 45 seconds is dead, and any byte keeps it", async () => {
    const { shop, send, times, bodies } = openStreams();
    const events = follow(shop.orders.watch());
    void events.next();
    await vi.advanceTimersByTimeAsync(0);
    expect(bodies).toHaveLength(1);
    for (let index = 0; index < 3; index += 1) {
      await vi.advanceTimersByTimeAsync(44_000);
      send(":\n");
    }
    await vi.advanceTimersByTimeAsync(44_999);
    expect(times).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1 + 2_000);
    expect(times).toHaveLength(2);
    await events.return?.();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a consumer that takes its time is no silence of the service", async () => {
    const { shop, send, times } = openStreams();
    const events = follow(shop.orders.watch());
    const first = events.next();
    await vi.advanceTimersByTimeAsync(0);
    send(wire("ready"));
    await first;
    await vi.advanceTimersByTimeAsync(100_000);
    send(wire("left", { id: 1 }));
    expect(await events.next()).toMatchObject({ value: { kind: "left" } });
    expect(times).toHaveLength(1);
    await events.return?.();
  });

  test("waits between connections are those of the service, and grow to 30 seconds while they fail", async () => {
    const { shop, waits, bodies } = openStreams((attempt) => (attempt > 2 ? refused(502) : undefined));
    const events = follow(shop.orders.watch());
    void events.next();
    for (const text of [`retry: 4000\n\n${wire("ready", {}, "p1")}`, "id: p2\n\n"]) {
      await vi.advanceTimersByTimeAsync(0);
      const body = bodies.shift();
      body?.enqueue(new TextEncoder().encode(text));
      void events.next();
      await vi.advanceTimersByTimeAsync(0);
      body?.close();
      await vi.advanceTimersByTimeAsync(4_000);
    }
    await vi.advanceTimersByTimeAsync(120_000);
    expect(waits()).toEqual([4_000, 4_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    await events.return?.();
  });

  test.each<[number, Record<string, string>, number]>([
    [429, { "retry-after": "90" }, 90_000],
    [503, { "retry-after": "7" }, 7_000],
    [413, { "retry-after": "7" }, 7_000],
  ])("after %i with %j the next connection is opened then", async (status, headers, ms) => {
    const { shop, waits } = openStreams((attempt) => (attempt === 1 ? refused(status, headers) : undefined));
    const events = follow(shop.orders.watch());
    void events.next();
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(waits()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(waits()).toEqual([ms]);
    await events.return?.();
  });

  test("a network that fails is tried again", async () => {
    vi.useFakeTimers();
    let tries = 0;
    const fetch = async () => {
      tries += 1;
      throw new TypeError("fetch failed");
    };
    const events = follow(createClient<ShopService>({ baseUrl: "http://shop.test", fetch } as never).orders.watch());
    void events.next();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(tries).toBeGreaterThan(2);
    await events.return?.();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("A signal that outlives many watches keeps nothing of them", async () => {
  const server = await startRowServer();
  const controller = new AbortController();
  const added = vi.spyOn(controller.signal, "addEventListener");
  const removed = vi.spyOn(controller.signal, "removeEventListener");
  for (let index = 0; index < 3; index += 1) {
    const events = follow(server.client().orders.watch({ signal: controller.signal }));
    void events.next();
    const stream = await server.stream();
    stream.send(quickly);
    await events.return?.();
    await stream.closed;
  }
  await untilTrue(() => added.mock.calls.length === removed.mock.calls.length);
});
