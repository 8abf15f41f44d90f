// @long

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Service } from "restwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createShop } from "../../../examples/shop/api.js";
import { start } from "../../../examples/shop/fastify.js";
import type { Listening } from "../../../examples/shop/host.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { closeServer, listen } from "../../adapters/hosts/host.js";
import { chromiumPath, needs } from "../../tools/engines.js";
import { openBrowser, type Tab } from "./browser.js";

/** What a script of a page sends. */
interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly credentials?: "include";
}

/** What the script can read of the answer; `failed` if the browser does not let it. */
interface Read {
  readonly failed?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

const alice = { authorization: "Bearer alice" };
const json = { "content-type": "application/json" };

let pages: Server;
let service: Service;
let api: Listening;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let allowed: Tab;
let second: Tab;
let stranger: Tab;

/** The same server by three names: a browser takes them for three origins. */
beforeAll(async () => {
  if (chromiumPath === undefined) return;
  pages = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><link rel=icon href=data:,>"),
  );
  await listen(pages);
  const { port } = pages.address() as AddressInfo;
  const origins = ["127.0.0.1", "localhost", "stranger.localhost"].map((host) => `http://${host}:${port}`);
  service = createShop(readSettings({ DATA_DIR: ":memory:", SHOP_AUTH: "on", CORS_ORIGINS: origins.slice(0, 2).join() }));
  api = await start(service, { port: 0, address: "127.0.0.1", basePath: "/v1" });
  browser = await openBrowser();
  [allowed, second, stranger] = (await Promise.all(origins.map((origin) => browser.open(origin)))) as [Tab, Tab, Tab];
});
afterAll(async () => {
  if (chromiumPath === undefined) return;
  await browser.close();
  await api.close(() => service.close());
  await closeServer(pages);
});

/** Runs `fetch` in a page. */
function fetchIn({ page }: Tab, { path, ...init }: Sent): Promise<Read> {
  return page.evaluate(
    async ({ address, init: given }) => {
      try {
        const response = await fetch(address, given);
        return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
      } catch (error) {
        return { failed: String(error) };
      }
    },
    { address: path.startsWith("http") ? path : `http://127.0.0.1:${api.port}/v1${path}`, init },
  );
}

describe("a page of another origin, in Chromium", needs("chromium"), () => {
  const user = (email: string) => ({ path: "/users", method: "POST", headers: { ...alice, ...json }, body: JSON.stringify({ name: "Ada", email }) });

  test("creates, reads and changes a row, and reads the headers for it", async () => {
    const created = await fetchIn(allowed, { ...user("ada@example.com"), headers: { ...alice, ...json, "idempotency-key": "0123456789abcdef" } });
    expect(created).toMatchObject({
      status: 201,
      headers: { etag: expect.any(String), location: "/v1/users/1", "x-request-id": expect.any(String) },
    });
    const changed = await fetchIn(allowed, {
      path: "/users/1",
      method: "PATCH",
      headers: { ...alice, "content-type": "application/merge-patch+json", "if-match": created.headers?.["etag"] ?? "" },
      body: '{"name":"Ada Lovelace"}',
    });
    expect(changed).toMatchObject({ status: 200, text: expect.stringContaining("Ada Lovelace") });
    const list = await fetchIn(allowed, { path: "/users", headers: alice });
    expect(list).toMatchObject({ status: 200, headers: { "x-total-count": "1", link: expect.stringContaining('rel="self"') } });
    expect((await fetchIn(allowed, { path: "/users/1", method: "DELETE", headers: alice })).status).toBe(204);
  });

  test("sends credentials that the browser keeps", async () => {
    expect((await fetchIn(allowed, { path: "/users", headers: alice, credentials: "include" })).status).toBe(200);
  });

  test.each<[number, Sent]>([
    [401, { path: "/users" }],
    [404, { path: "/users/999", headers: alice }],
    [404, { path: "/nothing", headers: alice }],
    [405, { path: "/users/1", method: "POST", headers: { ...alice, ...json }, body: "{}" }],
    [412, { path: "/users/1", method: "PATCH", headers: { ...alice, ...json, "if-match": '"other"' }, body: "{}" }],
    [422, { path: "/users", method: "POST", headers: { ...alice, ...json }, body: "{}" }],
  ])("reads an error: %i", async (status, sent) => {
    await fetchIn(allowed, user(`row${status}@example.com`));
    const read = await fetchIn(allowed, sent);
    expect(read.failed).toBeUndefined();
    expect(JSON.parse(read.text ?? "")).toMatchObject({ status: read.status, code: expect.any(String) });
    if (status === 401) expect(read.headers).toHaveProperty("www-authenticate");
    expect([read.status, read.headers?.["content-type"]]).toEqual([expect.any(Number), "application/problem+json"]);
  });

  test("sends a file in pieces", async () => {
    const tus = { ...alice, "tus-resumable": "1.0.0" };
    const created = await fetchIn(allowed, {
      path: "/uploads",
      method: "POST",
      headers: { ...tus, "upload-length": "5", "upload-metadata": "filename YS50eHQ=" },
    });
    expect(created.failed).toBeUndefined();
    const path = `http://127.0.0.1:${api.port}${created.headers?.["location"]}`;
    const sent = await fetchIn(allowed, {
      path,
      method: "PATCH",
      headers: { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" },
      body: "hel",
    });
    expect(sent).toMatchObject({ status: 204, headers: { "upload-offset": "3" } });
    expect(await fetchIn(allowed, { path, method: "HEAD", headers: tus })).toMatchObject({
      status: 200,
      headers: { "upload-offset": "3", "upload-length": "5" },
    });
  });

  test("hears the events of a job", async () => {
    const items = Array.from({ length: 3 }, (_, index) => ({ name: "Eve", email: `eve${index}@example.com` }));
    const headers = { ...alice, ...json, prefer: "respond-async" };
    const accepted = await fetchIn(allowed, { path: "/users/batch", method: "POST", headers, body: JSON.stringify({ items }) });
    expect(accepted.status).toBe(202);
    const path = `http://127.0.0.1:${api.port}${accepted.headers?.["location"]}`;
    const events = await fetchIn(allowed, { path, headers: { ...alice, accept: "text/event-stream" } });
    expect(events.text).toMatch(/event: \w+[\s\S]*completed/);
  });

  test("of two origins gets an answer of its own for one address that both have read", async () => {
    for (const tab of [allowed, second, allowed, second]) expect((await fetchIn(tab, { path: "/users?perPage=1", headers: alice })).status).toBe(200);
  });

  test("that is not allowed reads nothing", async () => {
    for (const sent of [{ path: "/users", headers: alice }, { path: "/users" }, user("mallory@example.com")]) {
      expect((await fetchIn(stranger, sent)).failed).toContain("Failed to fetch");
    }
    expect((await fetchIn(allowed, { path: "/users?email=mallory@example.com", headers: alice })).headers?.["x-total-count"]).toBe("0");
  });
});
