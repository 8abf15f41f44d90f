import { createClient, NetworkError, TooManyRowsError } from "restwright/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../tools/eventually.js";
import type { ShopService } from "../shopStage.js";
import { type Asked, quickly, type RowServer, startRowServer, wire } from "./rowServer.js";

interface Snapshot {
  readonly rows: readonly object[];
  readonly state: string;
  readonly error?: unknown;
}
interface Rows {
  get(): Snapshot;
  subscribe(listener: () => void): () => void;
  start(): void;
  close(): void;
}

/** Rows that are kept current until the end of the test. */
function liveOf(server: RowServer, options: object = {}): Rows {
  const rows = server.client({ maxRetries: 0 }).orders.live(options) as Rows;
  onTestFinished(() => rows.close());
  return rows;
}

/** A stream that is ready, whose list has these rows. */
async function opened(server: RowServer, rows: readonly object[], position?: string): Promise<Asked> {
  const stream = await server.stream();
  stream.send(quickly + wire("ready", {}, position));
  (await server.list()).rows(rows);
  return stream;
}

/** Waits for these rows, and the state `live`. */
const untilLive = (live: Rows, rows: readonly object[]) => eventually(() => expect(live.get()).toEqual({ rows, state: "live" }));
const untilState = (live: Rows, state: string) => eventually(() => expect(live.get().state).toBe(state));

const order = (id: number, total = 0) => ({ id, total });
const written = (row: { readonly id: number }, kind = "changed") => wire(kind, { id: row.id, version: "v", row });

describe("live", () => {
  test("opens the stream, reads the list after ready, and applies what came meanwhile", async () => {
    const server = await startRowServer();
    const live = liveOf(server, { where: { total: { gte: 0 } }, sort: "-total", fields: ["total"], include: ["customer"] });
    expect(live.get()).toEqual({ rows: [], state: "loading" });
    live.start();
    const stream = await server.stream();
    expect(Object.fromEntries(stream.url.searchParams)).toEqual({ "total[gte]": "0", fields: "total,id", include: "customer" });
    stream.send(": hello\n\n");
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.counts.lists).toBe(0);
    stream.send(`${wire("ready", {}, "p1")}${written(order(3, 9))}`);
    const list = await server.list();
    expect(Object.fromEntries(list.url.searchParams)).toEqual({
      "total[gte]": "0",
      sort: "-total",
      fields: "total,id",
      include: "customer",
      count: "none",
    });
    stream.send(`${written(order(1, 4))}${wire("left", { id: 2 })}${written(order(4, 5), "created")}${wire("removed", { id: 4, version: "v" })}`);
    expect(live.get().state).toBe("loading");
    list.rows([order(2, 3), order(1, 2)], "next");
    (await server.list()).rows([order(5, 1)]);
    await untilLive(live, [order(3, 9), order(1, 4), order(5, 1)]);
    stream.send(written(order(5, 5)) + written(order(6, 0)));
    await untilLive(live, [order(3, 9), order(5, 5), order(1, 4), order(6, 0)]);
  });

  test("tells its listeners once for what arrived together, and gives the same snapshot until then", async () => {
    const server = await startRowServer();
    const live = liveOf(server);
    const seen: Snapshot[] = [];
    live.subscribe(() => seen.push(live.get()));
    const stream = await opened(server, [order(1)]);
    await untilLive(live, [order(1)]);
    const before = live.get();
    expect(live.get()).toBe(before);
    expect(Object.isFrozen(before) && Object.isFrozen(before.rows)).toBe(true);
    const count = seen.length;
    stream.send(`id: p2\n\n${wire("left", { id: 9 }, "p3")}`);
    stream.send(Array.from({ length: 50 }, (_, index) => written(order(index + 2))).join(""));
    await eventually(() => expect(live.get().rows).toHaveLength(51));
    expect(seen.slice(count).map(({ rows }) => rows.length)).toEqual([51]);
    expect(seen.at(-1)).toBe(live.get());
    expect(live.get().rows[0]).toBe(before.rows[0]);
    expect(before.rows).toEqual([order(1)]);
  });

  test("goes on from its position after a break, without another list", async () => {
    const server = await startRowServer();
    const live = liveOf(server);
    live.start();
    const first = await opened(server, [order(1)], "p1");
    await untilLive(live, [order(1)]);
    first.cut();
    const second = await server.stream();
    expect(live.get()).toEqual({ rows: [order(1)], state: "reconnecting", error: expect.any(NetworkError) });
    expect(second.headers["last-event-id"]).toBe("p1");
    second.send(quickly + written(order(2)));
    await untilLive(live, [order(1), order(2)]);
    expect(server.counts).toEqual({ streams: 2, lists: 1 });
  });

  test("keeps a list that is being read while the connection breaks off", async () => {
    const server = await startRowServer();
    const live = liveOf(server);
    live.start();
    const first = await server.stream();
    first.send(quickly + wire("ready", {}, "p1") + written(order(2)));
    const list = await server.list();
    first.cut();
    const second = await server.stream();
    second.send(written(order(3)));
    list.rows([order(1)]);
    await untilLive(live, [order(1), order(2), order(3)]);
    expect(server.counts).toEqual({ streams: 2, lists: 1 });
  });

  test("reads the list again after a reset, and drops rows that are gone", async () => {
    const server = await startRowServer();
    const live = liveOf(server);
    live.start();
    const stream = await opened(server, [order(1), order(2)], "p1");
    await untilLive(live, [order(1), order(2)]);
    stream.send(wire("reset"));
    await untilState(live, "reconnecting");
    expect(live.get().rows).toEqual([order(1), order(2)]);
    expect(server.counts.lists).toBe(1);
    stream.send(wire("ready", {}, "p2") + written(order(3)));
    const old = await server.list();
    stream.send(wire("reset") + wire("ready", {}, "p3"));
    const list = await server.list();
    await old.closed;
    list.rows([order(2, 7)]);
    await untilLive(live, [order(2, 7)]);
  });

  test("begins afresh if the connection ends between reset and ready", async () => {
    const server = await startRowServer();
    const live = liveOf(server);
    live.start();
    const first = await opened(server, [order(1)], "p1");
    await untilLive(live, [order(1)]);
    first.send(wire("reset"));
    first.end();
    const second = await opened(server, [order(2)]);
    expect(second.headers).not.toHaveProperty("last-event-id");
    await untilLive(live, [order(2)]);
  });

  test("begins afresh if the list cannot be read", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const server = await startRowServer();
    const live = liveOf(server);
    live.start();
    const first = await server.stream();
    first.send(wire("ready", {}, "p1"));
    (await server.list()).refuse(503, { "retry-after": "0" });
    await first.closed;
    expect(live.get()).toMatchObject({ state: "loading", error: { status: 503 } });
    const second = await opened(server, [order(1)]);
    expect(second.headers).not.toHaveProperty("last-event-id");
    await untilLive(live, [order(1)]);
    vi.restoreAllMocks();
  });

  test.each<[string, (server: RowServer) => Promise<void>, object]>([
    ["the stream is refused", async (server) => (await server.stream()).refuse(403), { name: "ForbiddenError" }],
    [
      "the list is refused",
      async (server) => {
        (await server.stream()).send(wire("ready"));
        (await server.list()).refuse(400);
      },
      { status: 400 },
    ],
    ["rows do not show their id", async (server) => void (await opened(server, [{ total: 1 }])), { name: "TypeError" }],
    ["a row is not sorted as named", async (server) => void (await opened(server, [order(2), order(1)])), {}],
  ])("fails if %s, and starts again when it is asked to", async (what, answer, error) => {
    const server = await startRowServer();
    const live = liveOf(server, what.includes("sorted") ? { sort: "createdAt" } : {});
    live.start();
    await answer(server);
    await untilState(live, "failed");
    expect(live.get()).toMatchObject({ rows: [], error });
    live.start();
    await untilState(live, "loading");
    expect(live.get()).not.toHaveProperty("error");
    await opened(server, [order(1)]);
    await untilLive(live, [order(1)]);
  });

  test("names rows by a composite id", async () => {
    const server = await startRowServer();
    const live = liveOf(server, { id: ["order", "line"], sort: "sku" });
    live.start();
    const line = (at: number, sku: string) => ({ order: "a,b", line: at, sku });
    const stream = await opened(server, [line(1, "x"), line(2, "y")]);
    stream.send(wire("left", { id: ["a,b", 2] }) + wire("changed", { id: ["a,b", 1], version: "v", row: line(1, "z") }));
    await untilLive(live, [line(1, "z")]);
  });
});

describe("maxRows", () => {
  test("bounds the list: more is an error that says so, and nothing further is read", async () => {
    const server = await startRowServer();
    const live = liveOf(server, { maxRows: 2 });
    live.start();
    const stream = await server.stream();
    stream.send(wire("ready"));
    (await server.list()).rows([order(1), order(2), order(3)], "next");
    await untilState(live, "failed");
    const { rows, error } = live.get();
    expect(error).toBeInstanceOf(TooManyRowsError);
    expect(error).toMatchObject({ maxRows: 2, message: 'More than 2 rows of "orders" match; narrow "where", or raise "maxRows".' });
    expect(rows).toEqual([]);
    await stream.closed;
    expect(server.counts).toEqual({ streams: 1, lists: 1 });
  });

  test("bounds the rows that come later", async () => {
    const server = await startRowServer();
    const live = liveOf(server, { maxRows: 2 });
    live.start();
    const stream = await opened(server, [order(1), order(2)]);
    await untilLive(live, [order(1), order(2)]);
    stream.send(wire("left", { id: 1 }) + written(order(3)));
    await untilLive(live, [order(2), order(3)]);
    stream.send(written(order(4)));
    await untilState(live, "failed");
    expect(live.get().error).toBeInstanceOf(TooManyRowsError);
    await stream.closed;
  });

  test("is a number", async () => {
    const server = await startRowServer();
    expect(() => liveOf(server, { maxRows: "many" })).toThrow('orders.live: "maxRows" is many, but may be a number from 0.');
    expect(() => liveOf(server, { page: 1 })).toThrow('orders.live has no option "page"');
  });
});

describe("Subscriptions", () => {
  test("begin with the first one, and end a moment after the last one", async () => {
    const server = await startRowServer();
    const live = liveOf(server);
    const first = live.subscribe(() => {});
    const second = live.subscribe(() => {});
    const stream = await opened(server, [order(1)]);
    await untilLive(live, [order(1)]);
    first();
    first();
    stream.send(written(order(2)));
    await untilLive(live, [order(1), order(2)]);
    second();
    await stream.closed;
    await untilState(live, "reconnecting");
    expect(server.counts.streams).toBe(1);
    live.subscribe(() => {});
    await opened(server, [order(3)]);
    await untilLive(live, [order(3)]);
  });

  test("that end and begin again within a second keep the connection, as React's strict mode does it", async () => {
    await import("../../../src/client/following.js");
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const streams: { readonly signal: AbortSignal; readonly body: ReadableStreamDefaultController<Uint8Array> }[] = [];
    const fetch = async ({ headers, signal }: Request) => {
      if (headers.get("accept") !== "text/event-stream") return Response.json({ data: [order(1)], meta: { nextCursor: null } });
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void streams.push({ signal, body: controller }) });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const live = createClient<ShopService>({ baseUrl: "http://shop.test", fetch } as never).orders.live() as Rows;
    live.subscribe(() => {})();
    const leave = live.subscribe(() => {});
    await vi.advanceTimersByTimeAsync(0);
    streams[0]?.body.enqueue(new TextEncoder().encode(wire("ready")));
    await vi.advanceTimersByTimeAsync(0);
    for (const ms of [999, 2_000]) {
      live.subscribe(() => {});
      leave();
      await vi.advanceTimersByTimeAsync(ms);
      expect(live.get()).toEqual({ rows: [order(1)], state: "live" });
    }
    expect([streams.length, streams[0]?.signal.aborted]).toEqual([1, false]);
    live.close();
    await vi.advanceTimersByTimeAsync(0);
    expect([streams.length, streams[0]?.signal.aborted, vi.getTimerCount()]).toEqual([1, true, 0]);
  });

  test("that go and come back: the last one decides", async () => {
    const server = await startRowServer();
    const live = liveOf(server);
    for (let index = 0; index < 3; index += 1) live.subscribe(() => {})();
    const listener = vi.fn();
    live.subscribe(listener);
    const stream = await opened(server, [order(1)]);
    await untilLive(live, [order(1)]);
    stream.send(written(order(2)));
    await untilLive(live, [order(1), order(2)]);
    expect(listener).toHaveBeenCalled();
    expect(server.counts).toEqual({ streams: 1, lists: 1 });
  });

  test("hear of a failure once, and a further one does not try again", async () => {
    const server = await startRowServer();
    const live = liveOf(server);
    const states: string[] = [];
    const leave = live.subscribe(() => states.push(live.get().state));
    (await server.stream()).refuse(403);
    await untilState(live, "failed");
    const other = vi.fn();
    live.subscribe(other)();
    await new Promise((resolve) => setImmediate(resolve));
    expect(states).toEqual(["failed"]);
    expect(live.get().state).toBe("failed");
    leave();
    expect(server.counts.streams).toBe(1);
    expect(other).not.toHaveBeenCalled();
  });

  test("that have ended are not told", async () => {
    const server = await startRowServer();
    const live = liveOf(server);
    const [listener, other] = [vi.fn(), vi.fn()];
    live.subscribe(listener)();
    live.subscribe(other);
    await opened(server, [order(1)]);
    await untilLive(live, [order(1)]);
    expect(other).toHaveBeenCalled();
    expect(listener).not.toHaveBeenCalled();
  });

  test("are not needed after start, and close ends everything for good", async () => {
    const server = await startRowServer();
    const live = liveOf(server);
    live.start();
    const stream = await opened(server, [order(1)]);
    await untilLive(live, [order(1)]);
    const leave = live.subscribe(() => {});
    leave();
    stream.send(written(order(2)));
    await untilLive(live, [order(1), order(2)]);
    live.close();
    await stream.closed;
    await eventually(() => expect(live.get()).toEqual({ rows: [order(1), order(2)], state: "closed" }));
    live.start();
    live.subscribe(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(live.get().state).toBe("closed");
    expect(server.counts.streams).toBe(1);
  });

  test.each(["of the call", "of the client"])("close when the signal %s aborts", async (whose) => {
    const server = await startRowServer();
    const controller = new AbortController();
    const { signal } = controller;
    const isOfCall = whose === "of the call";
    const live = server.client(isOfCall ? {} : { signal }).orders.live((isOfCall ? { signal } : {}) as never) as Rows;
    live.start();
    const stream = await opened(server, [order(1)]);
    await untilLive(live, [order(1)]);
    controller.abort();
    await stream.closed;
    await untilState(live, "closed");
  });
});
