// @slow

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createService, defineResource, type Service } from "restwright";
import { cors } from "restwright/cors";
import { memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { rateLimit } from "restwright/rate-limit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { closeServer, listen } from "../../adapters/hosts/host.js";
import { chromiumPath, needs } from "../../tools/engines.js";
import { openBrowser, type Tab } from "./browser.js";

const things = defineResource("things", {
  schema: z.object({ id: z.int(), name: z.string() }),
  generated: { id: "increment" },
  create: () => Promise.reject(new Error("the provider is down")),
});

let pages: Server;
let api: Server;
let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let tab: Tab;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  pages = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><link rel=icon href=data:,>"),
  );
  await listen(pages);
  const origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
  service = createService({
    resources: [things],
    storage: memoryStorage(),
    logger: false,
    use: [cors({ origins: [origin], credentials: true }), rateLimit({ policies: [{ name: "minute", limit: 3, windowMs: 60_000 }] })],
  });
  api = createServer(nodeHandler(service));
  await listen(api);
  browser = await openBrowser();
  tab = await browser.open(origin);
});
afterAll(async () => {
  if (chromiumPath === undefined) return;
  await browser.close();
  await closeServer(api);
  await service.close();
  await closeServer(pages);
});

interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string;
}

/** Runs `fetch` in the page, with a header that needs a preflight. */
function fetchIn(path: string, body?: string): Promise<Read> {
  return tab.page.evaluate(
    async ({ address, body: text }) => {
      const init = text === undefined ? {} : { method: "POST", body: text, headers: { "content-type": "application/json" } };
      const response = await fetch(address, { ...init, credentials: "include" });
      const { code } = (await response.json()) as { readonly code: string };
      return { status: response.status, headers: Object.fromEntries(response.headers), code };
    },
    { address: `http://127.0.0.1:${(api.address() as AddressInfo).port}${path}`, body },
  );
}

describe("a page of another origin, in Chromium, reads", needs("chromium"), () => {
  test("what remains of its limit, a 500, and a 429 with Retry-After", async () => {
    const first = await fetchIn("/things");
    expect(first.headers).toMatchObject({ "x-ratelimit-remaining": "2", ratelimit: '"minute";r=2;t=60', "ratelimit-policy": '"minute";q=3;w=60' });
    const failed = await fetchIn("/things", '{"name":"a"}');
    // The preflight was free.
    expect(failed).toMatchObject({ status: 500, code: "INTERNAL", headers: { "x-request-id": expect.any(String), "x-ratelimit-remaining": "1" } });
    await fetchIn("/things");
    const refused = await fetchIn("/things");
    expect(refused).toMatchObject({ status: 429, code: "RATE_LIMITED", headers: { "retry-after": expect.stringMatching(/^\d+$/) } });
  });
});
