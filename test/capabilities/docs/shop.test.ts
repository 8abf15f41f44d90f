// @slow

import { pino } from "pino";
import { expect, test } from "vitest";
import { createShop } from "../../../examples/shop/api.js";
import type { StartHost } from "../../../examples/shop/host.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { clientOf } from "../../tools/client.js";
import { brokenAnchors, crawl } from "./pageSite.js";

const shop = () => createShop(readSettings({ DATA_DIR: ":memory:" }), pino({ level: "silent" }));
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

test.each(["express", "fastify", "hono", "koa"])("the first address of the shop leads to the docs on %s", async (host) => {
  const service = shop();
  const { start }: { start: StartHost } = await import(`../../../examples/shop/${host}.ts`);
  for (const basePath of ["", "/v1"]) {
    const at = await start(service, { port: 0, address: "127.0.0.1", basePath });
    const origin = `http://127.0.0.1:${at.port}`;
    const page = await fetch(`${origin}${basePath}/`, { headers: { accept: browser } });
    expect([page.status, page.headers.get("content-type"), page.headers.get("vary")]).toEqual([
      200,
      "text/html; charset=utf-8",
      expect.stringContaining("Accept"),
    ]);
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
    const [, link = ""] = /href="([^"]+)">Documentation/.exec(await page.text()) ?? [];
    const docs = await fetch(new URL(link, page.url));
    expect([docs.status, await docs.text()]).toEqual([200, expect.stringContaining("<h1>Shop</h1>")]);
    const answer = await fetch(`${origin}${basePath}/`);
    const { name, links } = (await answer.json()) as { name: string; links: Record<string, string> };
    expect(name).toBe("shop");
    for (const path of Object.values(links)) expect([path, (await fetch(new URL(path, answer.url))).status]).toEqual([path, 200]);
    await at.close(async () => {});
  }
  await service.close();
});

test.each([
  ["", "/"],
  ["/v1", "/v1/"],
  ["/v1", "/v1"],
  ["/api/v1", "/api/v1/"],
  ["/api/v1", "/api/v1"],
  ["", "/prefix/"],
  ["/v1", "/prefix/v1/"],
])("with the mount %j the links of the first address lead on from %s", async (mount, at) => {
  const service = shop();
  const send = clientOf(service);
  const { text } = await send({ target: "/", mount, headers: { accept: browser } });
  const { text: json } = await send({ target: "/", mount });
  const base = new URL(at, "https://shop.example");
  const addresses = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, link = ""]) => new URL(link, base).pathname);
  const root = at.replace(/\/$/, "");
  expect(addresses).toEqual(["/docs", "/openapi.json", "/users", "/orders", "/products", "/health"].map((path) => `${root}${path}`));
  expect(Object.values(JSON.parse(json).links as Record<string, string>).map((link) => new URL(link, base).pathname)).toEqual(addresses);
  await service.close();
});

test("the docs of the shop have no broken link", async () => {
  const service = shop();
  const site = await crawl(clientOf(service));
  expect(site.size).toBeGreaterThan(18);
  expect(brokenAnchors(site)).toEqual([]);
  await service.close();
});
