// @slow

import { createServer } from "node:http";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen, type RunningHost } from "../../adapters/hosts/host.js";
import { chromiumPath, needs } from "../../tools/engines.js";
import { fullService } from "../../tools/fullService.js";
import { openBrowser, type Tab } from "./browser.js";

/** Tells the server that a script of a file ran, with the rights of the service's origin. */
const script = '<script>fetch("/ran")</script>';
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload='fetch("/ran")'><script>fetch("/ran")</script></svg>`;

const files = [
  ["a page", "text/html", `<!doctype html>${script}<img src=x onerror='fetch("/ran")'>`],
  ["a page in XHTML", "application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><body>${script}</body></html>`],
  ["an SVG", "image/svg+xml", svg],
  ["XML with XHTML in it", "text/xml", `<a><b xmlns="http://www.w3.org/1999/xhtml">${script}</b></a>`],
  ["a page that says it is text", "text/plain", `<!doctype html>${script}`],
  ["a page that says it is a picture", "image/png", `<!doctype html>${script}`],
  ["a page that says nothing", "", `<!doctype html>${script}`],
  ["an old web archive", "multipart/related; boundary=b", `--b\r\ncontent-type: text/html\r\n\r\n${script}\r\n--b--\r\n`],
] as const;

let server: RunningHost;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let tab: Tab;
let runs = 0;
let service: ReturnType<typeof fullService>;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  service = fullService({
    resources: [],
    storage: memoryStorage(),
    logger: false,
    blobs: memoryBlobs(),
    uploads: { types: "any", visibility: "public" },
  });
  const handle = nodeHandler(service, { mount: "/v1" });
  server = await listen(
    createServer((request, response) => {
      if (request.url === "/ran") runs += 1;
      if (request.url?.startsWith("/v1/") === true) void handle(request, response);
      else
        response
          .writeHead(200, { "content-type": "text/html" })
          .end(`<!doctype html><link rel=icon href=data:,>${request.url === "/control" ? script : ""}`);
    }),
  );
  browser = await openBrowser();
  tab = await browser.open(`http://localhost:${server.port}/`);
});
afterAll(async () => {
  if (chromiumPath === undefined) return;
  await browser.close();
  await service.close();
  await server.close();
});

/** Opens an address as a page, and as a part of a page of the same origin in every way that shows a document. */
async function openEverywhere(address: string): Promise<void> {
  await tab.page.goto(`http://localhost:${server.port}/`);
  await tab.page.evaluate(`(async () => {
    for (const [name, member] of [["iframe", "src"], ["object", "data"], ["embed", "src"], ["img", "src"]]) {
      const element = document.createElement(name);
      element[member] = ${JSON.stringify(address)};
      document.body.append(element);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  })()`);
  // An attachment is saved: the browser then says that the navigation was aborted.
  await tab.page.goto(address).catch(() => undefined);
  await tab.page.waitForTimeout(150);
}

describe("a file that a client uploaded, in Chromium (set CHROMIUM_PATH to run)", needs("chromium"), () => {
  test("would run its scripts if it were a page of the host", async () => {
    await openEverywhere(`http://localhost:${server.port}/control`);
    expect(runs).toBeGreaterThan(0);
  });

  test.each(files)("runs no script: %s", async (_, type, content) => {
    const headers = { ...(type === "" ? {} : { "content-type": type }), "content-disposition": 'attachment; filename="a.html"' };
    const uploaded = await fetch(`http://localhost:${server.port}/v1/uploads`, { method: "POST", headers, body: Buffer.from(content) });
    expect(uploaded.status).toBe(201);
    const { url } = (await uploaded.json()) as { readonly url: string };
    runs = 0;
    await openEverywhere(`http://localhost:${server.port}${url}`);
    expect(runs).toBe(0);
  });
});
