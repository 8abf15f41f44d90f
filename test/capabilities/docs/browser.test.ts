// @long

import type { Page } from "playwright-core";
import { createService, defineResource, type Service } from "restwright";
import { bearer } from "restwright/auth";
import { docs } from "restwright/docs";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Listening } from "../../../examples/shop/host.js";
import { openBrowser } from "../../e2e/pages/browser.js";
import { listen } from "../../e2e/shop/shopHost.js";
import { needs } from "../../tools/engines.js";
import { oneOf, sampleNote } from "../../tools/extent.js";
import { stage } from "../openapi/stage.js";
import { hostileService } from "./hostileService.js";
import { violationsOf } from "./violations.js";

const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string().max(80), kind: z.enum(["idea", "task"]).default("idea") }),
  generated: { id: "increment" },
});

function small(): Service {
  return createService({
    resources: [notes],
    storage: memoryStorage(),
    logger: false,
    auth: [bearer((token) => (token === "secret" ? { id: "ann" } : undefined))],
    use: [openapi({ info: { title: "Notes", version: "1", description: "With **words** and a [link](#notes.list)." } }), docs()],
  });
}

/** Services that listen, by what they are. */
const servers = new Map<string, { readonly origin: string; readonly at: Listening; readonly service: Service }>();

async function serve(name: string, service: Service): Promise<string> {
  const at = await listen("fastify", service);
  servers.set(name, { origin: `http://127.0.0.1:${at.port}`, at, service });
  return `http://127.0.0.1:${at.port}`;
}

describe("in a browser (set CHROMIUM_PATH to run)", needs("chromium"), () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let one: string;
  let many: string;
  let hostile: string;
  beforeAll(async () => {
    [one, many, hostile] = [await serve("one", small()), await serve("many", stage({ use: [docs()] })), await serve("hostile", hostileService())];
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    for (const { at, service } of servers.values()) await at.close(() => service.close());
  });

  /** Opens a page, and keeps what goes wrong and what is asked of other origins. */
  async function visit(address: string, media: Parameters<Page["emulateMedia"]>[0] = {}) {
    const tab = await browser.open("about:blank");
    const foreign: string[] = [];
    const dialogs: string[] = [];
    tab.page.on("request", (request) => {
      if (!request.url().startsWith(new URL(address).origin)) foreign.push(request.url());
    });
    tab.page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await tab.page.emulateMedia(media);
    await tab.page.goto(address);
    return { ...tab, foreign, dialogs };
  }

  /** Opens all that is closed, also what only one of may be open at a time. */
  function openAll(page: Page): Promise<void> {
    return page.evaluate(`for (const details of document.querySelectorAll("main details")) {
      details.removeAttribute("name");
      details.open = true;
    }`);
  }

  test("a GET and a POST are sent from the page, with credentials that are kept in memory", async () => {
    const { page, complaints, foreign } = await visit(`${one}/docs`);
    await page.getByRole("button", { name: "Credentials" }).click();
    await page.getByLabel("Token").fill("secret");
    await page.getByRole("button", { name: "Use" }).click();
    await page.getByRole("button", { name: "Credentials in use" }).waitFor();

    const create = page.locator('[id="notes.create"]');
    await create.getByRole("button", { name: /^Try it/ }).click();
    await create.getByLabel("Text", { exact: true }).fill('{"text": "<b>Buy</b> seeds"}');
    await create.getByRole("button", { name: "Send POST" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await create.locator(".answer-status").count()).toBe(0);
    await create.getByRole("button", { name: "Send POST" }).click();
    await page.getByRole("button", { name: "Send it" }).click();
    expect(await create.locator(".answer-status").textContent()).toMatch(/^201 Created, \d+ ms$/);
    expect(await create.locator(".answer-body").textContent()).toContain('"text": "<b>Buy</b> seeds"');

    const list = page.locator('[id="notes.list"]');
    await list.getByRole("button", { name: /^Try it/ }).click();
    await list.getByLabel("perPage").fill("5");
    await list.getByLabel(/^Further parameters/).fill("id[gte]=1");
    await list.getByRole("button", { name: "Send GET" }).click();
    expect(await list.locator(".answer-status").textContent()).toMatch(/^200 OK/);
    await list.locator(".try summary").click();
    expect(await list.locator(".try pre").first().textContent()).toMatch(/etag: (?:W\/)?"/);
    expect(await list.locator(".answer-body").textContent()).toContain('"perPage": 5');

    await page.reload();
    await list.getByRole("button", { name: /^Try it/ }).click();
    await list.getByRole("button", { name: "Send GET" }).click();
    expect(await list.locator(".answer-status").textContent()).toMatch(/^401 /);
    expect([complaints.filter((line) => !line.includes("status of 401")), foreign]).toEqual([[], []]);
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")).not.toContain("secret");
    await page.close();
  });

  test("operations are filtered while the reader types, and all details can be opened", async () => {
    for (const address of [`${one}/docs`, `${many}/docs`, `${many}/docs/tags/books`]) {
      const { page, complaints, foreign } = await visit(address);
      const filter = page.getByLabel("Filter operations");
      await filter.fill(address.startsWith(one) ? "post create" : "post create author");
      expect(await page.locator(".filter [role=status]").textContent()).toMatch(/^\d+ operations?$/);
      const visible = await page.locator(".entry:visible").allTextContents();
      expect(visible.length).toBeGreaterThan(0);
      for (const text of visible) expect(text.toLowerCase()).toContain("create");
      await filter.fill("no such operation");
      expect(await page.locator(".entry:visible").count()).toBe(0);
      await filter.fill("");
      await openAll(page);
      expect([complaints, foreign]).toEqual([[], []]);
      await page.close();
    }
  });

  test("the colours are those of the system, unless the reader chose others", async () => {
    const { page } = await visit(`${one}/docs`, { colorScheme: "dark" });
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(await background()).toBe("rgb(20, 23, 28)");
    await page.getByRole("button", { name: "Light colours" }).click();
    expect(await background()).toBe("rgb(255, 255, 255)");
    await page.reload();
    expect(await background()).toBe("rgb(255, 255, 255)");
    await page.getByRole("button", { name: "Dark colours" }).click();
    await page.evaluate("localStorage.clear()");
    await page.close();
  });

  for (const colorScheme of oneOf(["light", "dark"] as const)) {
    test(`axe finds nothing to complain about (${colorScheme}${sampleNote})`, { timeout: 240_000 }, async () => {
      // What dark colours change is on the first two.
      const paths = [`${one}/docs`, `${many}/docs`, ...(colorScheme === "light" ? [`${many}/docs/tags/keys`, `${many}/docs/reference`] : [])];
      for (const path of paths) {
        const { page } = await visit(path, { colorScheme });
        await openAll(page);
        const tryIt = page.getByRole("button", { name: /^Try it/ }).nth(1);
        if ((await tryIt.count()) > 0) await tryIt.click();
        expect([path, await violationsOf(page)]).toEqual([path, []]);
        await page.close();
      }
    });
  }

  test("everything can be reached and used with the keyboard", async () => {
    const { page } = await visit(`${one}/docs`);
    const focused = () => page.evaluate("document.activeElement.textContent");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    const wanted = await page.locator("main :is(a, button, summary, input)").count();
    const reached = new Set<string>();
    for (let presses = 0; presses < wanted * 2; presses++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate<{ readonly index: number; readonly outline: string }>(`({
        index: [...document.querySelectorAll("main :is(a, button, summary, input)")].indexOf(document.activeElement),
        outline: getComputedStyle(document.activeElement).outlineStyle,
      })`);
      if (at.index === -1) break;
      expect(at.outline).toBe("solid");
      reached.add(String(at.index));
    }
    const hidden = await page.locator("main details:not([open]) :is(a, button, input), main details details > summary:not(:visible)").count();
    expect(reached.size).toBeGreaterThanOrEqual(wanted - hidden);
    await page
      .locator('[id="notes.list"]')
      .getByRole("button", { name: /^Try it/ })
      .focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("INPUT");
    await page.keyboard.press("Enter");
    await page.locator('[id="notes.list"] .answer-status').waitFor();
    await page.close();
  });

  test("it fits into 320 pixels", async () => {
    for (const path of [`${one}/docs`, `${many}/docs`, `${many}/docs/tags/books`, `${many}/docs/reference`, `${hostile}/docs`]) {
      const { page } = await visit(path);
      await page.setViewportSize({ width: 320, height: 640 });
      await openAll(page);
      expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, 320]);
      await page.close();
    }
  });

  test("texts of an attacker do nothing", async () => {
    const { page, complaints, foreign, dialogs } = await visit(`${hostile}/docs`);
    await page.evaluate(`for (const open of document.querySelectorAll(".open-try")) open.click();`);
    await page.getByLabel("Filter operations").fill("hostile");
    for (const name of ["things.list", "things.create"]) {
      const section = page.locator(`[id="${name}"]`);
      await section.getByRole("button", { name: /^Send/ }).click();
      if (name === "things.create") await page.getByRole("button", { name: "Send it" }).click();
      await section.locator(".answer-body").waitFor();
    }
    expect([complaints.filter((line) => !line.startsWith("Failed to load resource: the server responded")), foreign, dialogs]).toEqual([[], [], []]);
    expect(await page.locator("img, iframe, svg, script:not([src])").count()).toBe(0);
    await page.close();
  });

  test("without a script the page is complete, and printed it has no controls", async () => {
    const plain = await openBrowser({ javaScriptEnabled: false });
    try {
      const { page, complaints } = await plain.open(`${one}/docs`);
      expect(complaints).toEqual([]);
      expect(await page.locator("section.operation").count()).toBeGreaterThan(6);
      expect(await page.getByRole("button").count()).toBe(0);
      await page.locator("details.problems > summary").first().click();
      expect(await page.locator("details.problems").first().getByText("MALFORMED_QUERY").isVisible()).toBe(true);
      await page.emulateMedia({ media: "print" });
      expect(await page.locator("nav").isVisible()).toBe(false);
      expect(await page.locator("h1").isVisible()).toBe(true);
    } finally {
      await plain.close();
    }
  });
});
