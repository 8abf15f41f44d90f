import { Agent, cacheStores, type Dispatcher, interceptors, request } from "undici";
import { afterAll, describe, expect, test } from "vitest";
import { as, asJson, auth, judgeSite, type Site } from "../../language/conditional/judgeSite.js";

const open = judgeSite();
const closed = judgeSite({ auth });

describe("fetch of Node", () => {
  test("gets a bare 304 for its own tag, although it adds Cache-Control: no-cache", async () => {
    const tag = await open.put("fetched", "a");
    for (const method of ["GET", "HEAD"]) {
      const answer = await fetch(`${open.origin}/notes/fetched`, { method, headers: { "if-none-match": tag } });
      const { headers } = answer;
      expect([answer.status, await answer.text(), headers.get("etag"), headers.get("cache-control")]).toEqual([304, "", tag, "no-cache"]);
      expect([headers.get("content-type"), headers.get("content-length")]).toEqual([null, null]);
      expect(Date.parse(headers.get("date") ?? "")).toBeGreaterThan(0);
      expect(headers.get("last-modified")).toMatch(/ GMT$/);
    }
    expect(open.seen.map(({ cacheControl }) => cacheControl)).toEqual(["no-cache", "no-cache"]);
  });

  test.each(["no-cache", "no-store", "reload", "default"] as const)("with cache: %s gets the row as it is", async (cache) => {
    await open.put("cached", "a");
    const sent = { method: "GET", cache };
    const read = async () => (await fetch(`${open.origin}/notes/cached`, sent)).json();
    expect(await read()).toEqual({ id: "cached", text: "a" });
    await open.put("cached", "b");
    expect(await read()).toEqual({ id: "cached", text: "b" });
  });
});

/** A client with a cache, as undici has it. */
function cachingClient({ origin }: Site, type: "shared" | "private") {
  const agent = new Agent();
  const dispatcher = agent.compose(interceptors.cache({ type, store: new cacheStores.MemoryCacheStore(), methods: ["GET", "HEAD"] }));
  const send = async (path: string, sent: { method?: Dispatcher.HttpMethod; headers?: Record<string, string>; body?: string } = {}) => {
    const { statusCode, headers, body } = await request(`${origin}${path}`, { dispatcher, method: "GET", ...sent });
    return { status: statusCode, headers, text: await body.text() };
  };
  return { send, close: () => agent.close() };
}

const statuses = ({ seen }: Site) => seen.map(({ status }) => status);

describe("the cache of undici", () => {
  const clients: { close(): Promise<void> }[] = [];
  const clientOf = (at: Site, type: "shared" | "private") => {
    const client = cachingClient(at, type);
    clients.push(client);
    return client.send;
  };
  afterAll(async () => {
    for (const client of clients) await client.close();
  });

  test.each([
    ["shared", "/notes/kept"],
    ["private", "/notes/kept"],
    ["shared", "/notes/kept?fields=text"],
    ["shared", "/notes?id=kept"],
    ["private", "/notes?perPage=1"],
  ] as const)("(%s) asks again for %s each time, with the tag, and serves the stored body after a 304", async (type, path) => {
    await open.put("kept", "a");
    const send = clientOf(open, type);
    const first = await send(path);
    const second = await send(path);
    expect([second.status, second.text, second.headers["etag"]]).toEqual([200, first.text, first.headers["etag"]]);
    expect(open.seen.map(({ status, ifNoneMatch }) => [status, ifNoneMatch])).toEqual([
      [200, undefined],
      [304, first.headers["etag"]],
    ]);
    for (let turn = 0; turn < 3; turn++) expect((await send(path)).text).toBe(first.text);
    expect(open.seen).toHaveLength(5);
  });

  test.each(["/notes/changing", "/notes?id=changing"])("sees a change of %s at once", async (path) => {
    await open.put("changing", "before");
    const send = clientOf(open, "shared");
    await send(path);
    await open.put("changing", "after");
    const changed = await send(path);
    expect(changed.text).toContain('"after"');
    expect((await send(path)).text).toBe(changed.text);
    expect(statuses(open)).toEqual([200, 304]);
  });

  test("sees that a row is gone", async () => {
    await open.put("leaving", "a");
    const send = clientOf(open, "shared");
    await send("/notes/leaving");
    await fetch(`${open.origin}/notes/leaving`, { method: "DELETE" });
    expect((await send("/notes/leaving")).status).toBe(404);
    await open.put("leaving", "back");
    expect((await send("/notes/leaving")).text).toContain("back");
  });

  test("keeps apart the views of one row", async () => {
    await open.put("views", "a");
    const send = clientOf(open, "shared");
    for (let turn = 0; turn < 2; turn++) {
      expect((await send("/notes/views")).text).toBe('{"id":"views","text":"a"}');
      expect((await send("/notes/views?fields=text")).text).toBe('{"text":"a"}');
    }
    expect(statuses(open)).toEqual([200, 200, 304, 304]);
  });

  test("stores nothing of what is private where it is shared", async () => {
    await closed.put("shared", "a");
    const send = clientOf(closed, "shared");
    for (let turn = 0; turn < 2; turn++) await send("/notes/shared", { headers: as("bob") });
    expect(closed.seen.map(({ status, ifNoneMatch }) => [status, ifNoneMatch])).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
  });

  test("stores for one caller what it never serves another, and says whose tag it has", async () => {
    await closed.put("mine", "a");
    await fetch(`${closed.origin}/notes/mine`, { method: "PATCH", headers: { ...asJson, ...as("ada") }, body: '{"price":7}' });
    closed.seen.length = 0;
    const send = clientOf(closed, "private");
    const read = (name: string) => send("/notes/mine", { headers: { "x-api-key": name } });
    const first = await read("ada");
    expect(first.headers["vary"]).toBe("Authorization, X-API-Key");
    expect((await read("bob")).text).toBe('{"id":"mine","text":"a"}');
    expect([first.text, (await read("ada")).text]).toEqual(Array(2).fill('{"id":"mine","text":"a","price":7}'));
    expect((await send("/notes/mine")).status).toBe(401);
    expect(closed.seen.map(({ status, ifNoneMatch }) => [status, ifNoneMatch])).toEqual([
      [200, undefined],
      [200, undefined],
      [304, first.headers["etag"]],
      [401, undefined],
    ]);
  });

  test.each([
    ["412", open, "/notes/failing", { "if-match": '"x"' }, 412],
    ["404", open, "/notes/nobody", {}, 404],
    ["400", open, "/notes?nmae=1", {}, 400],
    ["401", closed, "/notes", {}, 401],
  ] as const)("does not keep a %s", async (_, at, path, headers, status) => {
    await at.put("failing", "a");
    const send = clientOf(at, "private");
    for (let turn = 0; turn < 2; turn++) expect((await send(path, { headers })).status).toBe(status);
    expect(at.seen.map((each) => [each.status, each.ifNoneMatch])).toEqual([
      [status, undefined],
      [status, undefined],
    ]);
    if (status === 412) expect((await send(path)).status).toBe(200);
  });

  test("reads anew what it has written, and serves nothing wrong after a write that failed with 412", async () => {
    await open.put("written", "a");
    const send = clientOf(open, "private");
    const write = (tag: string) => send("/notes/written", { method: "PATCH", headers: { ...asJson, "if-match": tag }, body: '{"text":"b"}' });
    await send("/notes/written");
    const refused = await write('"x"');
    expect((await send("/notes/written")).text).toContain('"a"');
    expect((await write(String(refused.headers["etag"]))).status).toBe(200);
    expect((await send("/notes/written")).text).toContain('"b"');
    expect(open.seen.at(-1)).toMatchObject({ line: "GET /notes/written", status: 200, ifNoneMatch: undefined });
  });
});
