// @slow

import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { defineResource, type Verifier } from "restwright";
import { cors } from "restwright/cors";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { listen, type RunningHost } from "../../adapters/hosts/host.js";
import { keysOf } from "../../adapters/stores/blobs/blobContents.js";
import { clientOf } from "../../tools/client.js";
import { chromiumPath, needs } from "../../tools/engines.js";
import { fullService } from "../../tools/fullService.js";
import { openBrowser, type Tab } from "./browser.js";
import { attacks, scriptOf } from "./crossSiteAttacks.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });

/** A session as web applications have it: what the browser sends by itself is enough. */
const session: Verifier = {
  scheme: "Session",
  headers: ["Cookie"],
  challenge: () => "Session",
  verify: ({ headers }) => (headers.get("cookie")?.includes("session=ada") === true ? { id: "ada" } : null),
};

/** A request that reached the service. */
interface Seen {
  readonly status: number;
  readonly hasSession: boolean;
}

const html = { "content-type": "text/html", "set-cookie": "session=ada; Path=/; HttpOnly; SameSite=Lax" };
const page = "<!doctype html><link rel=icon href=data:,><body>";

let api: RunningHost;
let pages: RunningHost;
let allowedPages: RunningHost;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let seen: Seen[] = [];
let service: ReturnType<typeof fullService>;
const blobs = memoryBlobs();

/**
 * Ports do not matter for a site: pages of `localhost` get the session of the service, whatever their port. A page of `127.0.0.1` is of another site, to which Chromium
 * sends no session; the service takes callers without one too, as one in a private network does.
 */
beforeAll(async () => {
  if (chromiumPath === undefined) return;
  const servePage = () => listen(createServer((_request, response) => response.writeHead(200, { "content-type": "text/html" }).end(page)));
  pages = await servePage();
  allowedPages = await servePage();
  service = fullService({
    resources: [notes],
    storage: memoryStorage(),
    logger: false,
    blobs,
    uploads: { types: "any", forms: { avatars: { types: "any" } } },
    auth: [session],
    anonymous: "allow",
    more: [cors({ origins: [`http://localhost:${allowedPages.port}`], credentials: true })],
    onResponse: ({ status }, { method, headers }) => {
      const hasSession = headers.some((value) => value.includes("session=ada"));
      if (method === "POST") seen.push({ status, hasSession });
    },
  });
  const handle = nodeHandler(service, { mount: "/v1" });
  const server: Server = createServer((request, response) => {
    if (request.url === "/") response.writeHead(200, html).end(page);
    else void handle(request, response);
  });
  api = await listen(server);
  browser = await openBrowser();
});
afterAll(async () => {
  if (chromiumPath === undefined) return;
  await browser.close();
  await service.close();
  await api.close();
  await pages.close();
  await allowedPages.close();
});

/** Runs an attack, and waits for the requests that it sends: a beacon and a form in a frame do not say when they have been answered. */
async function run(tab: Tab, attack: string, expected = 1): Promise<readonly Seen[]> {
  seen = [];
  await tab.page.evaluate(scriptOf(attack, `http://localhost:${api.port}/v1`));
  for (let waited = 0; seen.length < expected && waited < 10_000; waited += 20) await sleep(20);
  return seen;
}

async function kept() {
  const { json } = await clientOf(service)({ target: "/notes", headers: { cookie: "session=ada" } });
  return { notes: json.data.length, files: (await keysOf(blobs)).length };
}

describe("pages in Chromium whose user has a session with the service (set CHROMIUM_PATH to run)", needs("chromium"), () => {
  let own: Tab;
  beforeAll(async () => {
    own = await browser.open(`http://localhost:${api.port}/`);
  });

  describe.each([
    ["of the same site", "localhost", true],
    ["of another site", "127.0.0.1", false],
  ])("a page %s", (_, host, hasSession) => {
    let tab: Tab;
    beforeAll(async () => {
      tab = await browser.open(`http://${host}:${pages.port}/`);
    });

    test.each(Object.entries(attacks))("writes nothing by %s", async (name, attack) => {
      // Only the preflight is sent of what the browser asks for first.
      const expected = /asking first$|^a beacon with JSON$/.test(name) && !name.includes("without") ? 0 : 1;
      const statuses = (await run(tab, attack, expected)).map(({ status }) => status);
      expect(statuses.length).toBe(expected);
      for (const status of statuses) expect([403, 415]).toContain(status);
      expect(await kept()).toEqual({ notes: 0, files: 0 });
    });

    test("is refused by nothing else", async () => {
      const requests = await run(tab, attacks["a form with a file"] ?? "");
      expect(requests).toEqual([{ status: 403, hasSession }]);
    });
  });

  test.each([
    ["a form with a file", 201],
    ["a FormData by fetch", 201],
    ["a FormData by XMLHttpRequest", 201],
    ["a beacon with a FormData", 201],
    ["a text file by fetch", 201],
    ["a form whose text is JSON", 415],
    ["an empty POST by fetch", 404],
  ])("its own page sends %s: %i", async (name, status) => {
    const before = await kept();
    expect(await run(own, attacks[name] ?? "")).toEqual([{ status, hasSession: true }]);
    expect((await kept()).files > before.files).toBe(status === 201);
  });

  test("an allowed page sends a form, files and JSON", async () => {
    const tab = await browser.open(`http://localhost:${allowedPages.port}/`);
    const names = ["a form with a file", "a FormData by fetch", "a FormData by XMLHttpRequest", "JSON, asking first"];
    for (const name of names) expect([name, (await run(tab, attacks[name] ?? "")).map(({ status }) => status)]).toEqual([name, [201]]);
    expect((await kept()).notes).toBe(1);
  });
});
