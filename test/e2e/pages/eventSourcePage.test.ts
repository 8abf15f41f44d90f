// @slow

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createShop } from "../../../examples/shop/api.js";
import { start } from "../../../examples/shop/fastify.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { closeServer, listen } from "../../adapters/hosts/host.js";
import { needs } from "../../tools/engines.js";
import { openBrowser } from "./browser.js";

describe("an EventSource that nothing closes, in Chromium", needs("chromium"), () => {
  test("hears the end of a job once, comes again once, and stays closed", async () => {
    const pages = createServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><link rel=icon href=data:,>"),
    );
    await listen(pages);
    onTestFinished(() => closeServer(pages));
    const origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
    const service = createShop(readSettings({ DATA_DIR: ":memory:", CORS_ORIGINS: origin }));
    const api = await start(service, { port: 0, address: "127.0.0.1", basePath: "" });
    onTestFinished(() => api.close(() => service.close()));
    const browser = await openBrowser();
    onTestFinished(() => browser.close());

    const shop = `http://127.0.0.1:${api.port}`;
    const headers = { "content-type": "application/json", prefer: "respond-async" };
    const body = JSON.stringify({ items: [{ name: "Ada", email: "ada@example.com" }] });
    const accepted = await fetch(`${shop}/users/batch`, { method: "POST", headers, body });
    const job = `${shop}${accepted.headers.get("location")}`;

    const { page } = await browser.open(origin);
    const statuses: number[] = [];
    page.on("response", (response) => {
      if (response.url() === job) statuses.push(response.status());
    });
    const ended = await page.evaluate((address) => {
      const source = new EventSource(address);
      let ends = 0;
      source.addEventListener("end", () => {
        ends += 1;
      });
      return new Promise<number>((resolve) => {
        source.addEventListener("error", () => {
          if (source.readyState === EventSource.CLOSED) resolve(ends);
        });
      });
    }, job);
    expect([accepted.status, ended, statuses]).toEqual([202, 1, [200, 204]]);
  });
});
