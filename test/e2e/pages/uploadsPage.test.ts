// @long

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import type { Service } from "restwright";
import { build } from "tsup";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createShop } from "../../../examples/shop/api.js";
import type { Listening } from "../../../examples/shop/host.js";
import { listening } from "../../../examples/shop/listening.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { createApp } from "../../../examples/uploads/app.js";
import { png } from "../../parts/checks/samples/images.js";
import { chromiumPath, needs } from "../../tools/engines.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { bytesOf, sha256Of } from "../uploads/tusUpload.js";
import { openBrowser, type Tab } from "./browser.js";
import { faultsOf } from "./pageChecks.js";

const mebibyte = 1_048_576;

let service: Service;
let at: Listening;
let origin: string;
beforeAll(async () => {
  service = createShop(readSettings({ DATA_DIR: ":memory:" }));
  await service.start();
  const app = await createApp(service);
  if (chromiumPath !== undefined) await addTestPages(app);
  await app.listen({ port: 0, host: "127.0.0.1" });
  at = await listening(app.server);
  origin = `http://127.0.0.1:${at.port}`;
});
afterAll(() => at.close(() => service.close()));

/** Pages of the same origin that are no part of the example: one with Uppy, and one with a form and not a word of script. */
async function addTestPages(app: FastifyInstance): Promise<void> {
  const uppy = await uppyBundle();
  const page = (content: string) => `<!doctype html><title>Test</title><link rel="icon" href="icon.svg">${content}`;
  const form = '<form method="post" enctype="multipart/form-data" action="api/avatars"><input type="file" name="avatar"><button>Send</button></form>';
  app.get("/uppy.js", (_request, reply) => reply.type("text/javascript").send(uppy));
  app.get("/uppy", (_request, reply) => reply.type("text/html").send(page('<script src="uppy.js"></script>')));
  app.get("/form", (_request, reply) => reply.type("text/html").send(page(form)));
}

/** Uppy is published as modules; a page needs them as one script. */
async function uppyBundle(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), "uppy-"));
  const entry = fileURLToPath(new URL("uppyPage.js", import.meta.url));
  try {
    await build({
      entry: { uppy: entry },
      outDir,
      format: "iife",
      globalName: "uppy",
      platform: "browser",
      noExternal: [/./],
      config: false,
      silent: true,
    });
    return readFileSync(join(outDir, "uppy.global.js"), "utf8");
  } finally {
    rmSync(outDir, { recursive: true });
  }
}

test("the page loads from its own origin alone, under a policy that says so", async () => {
  const loaded = new Map<string, string>();
  for (const waiting = ["/"]; waiting.length > 0; ) {
    const path = waiting.pop() ?? "";
    if (loaded.has(path)) continue;
    const response = await fetch(`${origin}${path}`);
    const text = await response.text();
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'self';(?!.*unsafe)/);
    loaded.set(path, response.headers.get("content-type") ?? "");
    for (const [, name] of text.matchAll(/(?:href|src|from)[ =]"(?:\.\/)?([\w.]+)"/g)) waiting.push(`/${name}`);
  }
  const modules = ["amounts", "client", "dropZone", "fileLink", "page", "people", "sendAvatar", "uploadRow", "uploads", "words"];
  const names = ["", "base.css", "icon.svg", "page.css", ...modules.map((name) => `${name}.js`)];
  expect([...loaded.keys()].toSorted()).toEqual(names.map((name) => `/${name}`).toSorted());
});

describe("in a browser (set CHROMIUM_PATH to run)", needs("chromium"), () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  function fileOf(bytes: Uint8Array, name: string): string {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, bytes);
    return path;
  }

  /** Sends no faster than this. */
  async function slowDown({ page }: Tab, bytesPerSecond: number): Promise<void> {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond };
    await session.send("Network.emulateNetworkConditions", conditions);
  }

  const barOf = ({ page }: Tab) => page.evaluate("document.querySelector('#uploads progress').value") as Promise<number>;
  const rowWith = ({ page }: Tab, status: string) => page.locator(`#uploads li[data-status="${status}"]`);

  async function linkedFile({ page }: Tab): Promise<Buffer> {
    const address = await page.locator("#uploads li .result a").first().getAttribute("href");
    return Buffer.from(await (await fetch(new URL(address ?? "", origin))).arrayBuffer());
  }

  test("the page sends 8 MiB with progress, pauses and goes on, and again after it was loaded anew", async () => {
    const tab = await browser.open(origin);
    const { page } = tab;
    const begun: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") begun.push(request.url());
    });
    const bytes = bytesOf(8 * mebibyte, 5);
    const path = fileOf(bytes, "data.bin");
    await slowDown(tab, mebibyte);
    // At once: on a busy machine a click by the mouse may come when all is sent.
    const toggle = () => page.evaluate("document.querySelector('.toggle').click()");
    await page.setInputFiles("#files", path);
    await expect.poll(() => barOf(tab), { timeout: 20_000, interval: 50 }).toBeGreaterThan(0.2);
    await toggle();
    await rowWith(tab, "paused").waitFor();
    const paused = await barOf(tab);
    expect(paused).toBeLessThan(0.9);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await barOf(tab)).toBe(paused);

    await toggle();
    await expect.poll(() => barOf(tab), { timeout: 20_000, interval: 50 }).toBeGreaterThan(paused + 0.1);
    expect(await page.locator("#uploads .text").textContent()).toMatch(/^\d+% · [\d.]+ [MkG]B of 8.4 MB · [\d.]+ [Mk]?B\/s · \d+ sec left$/);
    await page.reload();
    await page.setInputFiles("#files", path);
    await rowWith(tab, "done").waitFor();
    expect(await barOf(tab)).toBe(1);
    expect(await page.locator("#uploads .short").textContent()).toBe(`${sha256Of(bytes).slice(0, 12)}…`);
    expect(await page.locator("#uploads .sha256").isVisible()).toBe(false);
    await page.click("#uploads summary");
    expect(await page.locator("#uploads .sha256").textContent()).toBe(sha256Of(bytes));
    expect(sha256Of(await linkedFile(tab))).toBe(sha256Of(bytes));
    expect(begun).toHaveLength(1);
    expect(tab.complaints).toEqual([]);
    await page.close();
  });

  test("the page shows an image that was dropped on it, and what is wrong with a file that is not taken", async () => {
    const tab = await browser.open(origin);
    const { page } = tab;
    const image = png(3, 2);
    await page.evaluate(`
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array([${image.join(",")}])], "a & b.png", { type: "image/png" }));
      document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    `);
    await rowWith(tab, "done").waitFor();
    expect(await page.locator("#uploads .result a").textContent()).toBe("a & b.png");
    expect((await linkedFile(tab)).equals(image)).toBe(true);
    await expect.poll(() => page.evaluate("document.querySelector('#uploads .result img').naturalWidth")).toBe(3);

    await page.setInputFiles("#files", fileOf(Buffer.from("%PDF-1.7\n1 0 obj <</S /JavaScript /JS (app.alert(1))>> endobj\n%%EOF\n"), "paper.pdf"));
    await rowWith(tab, "refused").waitFor();
    expect(await rowWith(tab, "refused").locator(".words").textContent()).toBe("The PDF has active content: /JavaScript.");
    // Nothing of it would be taken another time.
    expect(await rowWith(tab, "refused").locator("button:visible").allTextContents()).toEqual(["Remove from the list"]);
    expect(await faultsOf(page)).toEqual([]);
    await rowWith(tab, "refused").locator(".end").click();
    expect(await rowWith(tab, "refused").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Remove from the list: a & b.png");
    await page.close();
  });

  test("the page says that the server is away, and goes on when it is back", async () => {
    const { page } = await browser.open(origin);
    await page.route("**/api/**", (route) => route.abort());
    // The longest waits, so that there is time to see them.
    await page.evaluate("Math.random = () => 0.99");
    await page.setInputFiles("#files", fileOf(Buffer.from("hello"), "a.txt"));
    const row = page.locator("#uploads li");
    await row.locator(".reason").getByText("The server cannot be reached.").waitFor();
    await page.setInputFiles("#avatar", fileOf(png(3, 2), "me.png"));
    await page.click("#sendAvatar");
    await page.locator("#avatarStatus").getByText("The server cannot be reached.", { exact: true }).waitFor();
    const longWait = row.getByText(/^Next try in [5-8] s\.$/);
    await longWait.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unroute("**/api/**");
    await page.evaluate("document.querySelector('.retry').click()");
    await page.locator('#uploads li[data-status="done"]').waitFor();
    await page.close();
  });

  test("a file that was given up while there was no connection is sent when it is back", { timeout: 30_000 }, async () => {
    const { page } = await browser.open(origin);
    await page.route("**/api/**", (route) => route.abort());
    // All ten tries follow at once.
    await page.evaluate("Math.random = () => 0");
    await page.setInputFiles("#files", fileOf(Buffer.from("hello"), "a.txt"));
    await page.locator('#uploads li[data-status="failed"]').waitFor();
    await page.unroute("**/api/**");
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.locator('#uploads li[data-status="done"]').waitFor();
    await page.close();
  });

  test("a file that is chosen twice is sent twice, and to cancel one of them does not end the other", async () => {
    const tab = await browser.open(origin);
    const { page } = tab;
    await slowDown(tab, 2 * mebibyte);
    const path = fileOf(new Uint8Array(16 * mebibyte), "twice.bin");
    await page.setInputFiles("#files", path);
    await page.locator('#uploads li[data-status="sending"]').waitFor();
    await page.setInputFiles("#files", path);
    await page.locator("#uploads li .text").getByText("of 16.8 MB").nth(1).waitFor();
    await page.locator("#uploads li .end").first().click();
    await rowWith(tab, "canceled").waitFor();
    await rowWith(tab, "done").waitFor();
    expect(tab.complaints).toEqual([]);
    await page.close();
  });

  test("a folder that is dropped beside a file is named, and the file is sent", async () => {
    const tab = await browser.open(origin);
    const { page } = tab;
    const folder = temporaryFolder();
    const session = await page.context().newCDPSession(page);
    const { x = 0, y = 0 } = (await page.locator("#drop").boundingBox()) ?? {};
    const data = { items: [], files: [folder, fileOf(Buffer.from("hello"), "a.txt")], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const) await session.send("Input.dispatchDragEvent", { type, x: x + 9, y: y + 9, data });
    await rowWith(tab, "done").waitFor();
    expect(await page.locator("#refused:visible").textContent()).toBe("Folders cannot be sent: choose the files in them.");
    await page.close();
  });

  test("files wait for their turn, and are paused, resumed and canceled with the keyboard alone", async () => {
    const tab = await browser.open(origin);
    const { page } = tab;
    // None is done before the end of the test.
    await slowDown(tab, mebibyte / 8);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.id")).toBe("files");
    const bytes = new Uint8Array(4 * mebibyte);
    await page.setInputFiles(
      "#files",
      ["a.bin", "b.bin", "c.bin", "d.bin"].map((name) => fileOf(bytes, name)),
    );
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
    await rowWith(tab, "waiting").waitFor();
    expect(await rowWith(tab, "sending").count()).toBe(3);
    expect(await rowWith(tab, "waiting").locator(".name").textContent()).toBe("d.bin");
    for (const expected of ["Cancel: d.bin", "Pause: c.bin"]) {
      await page.keyboard.press("Tab");
      expect(await focused()).toBe(expected);
    }
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Resume: c.bin");
    // What is paused leaves its place to the next one.
    await expect.poll(() => rowWith(tab, "waiting").count()).toBe(0);
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Pause: c.bin");
    const removed: string[] = [];
    page.on("request", (request) => request.method() === "DELETE" && removed.push(request.url()));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Remove from the list: c.bin");
    await expect.poll(() => removed.length).toBe(1);
    // It is told when the service has answered.
    await expect.poll(() => page.locator("#announcement").textContent()).toBe("c.bin: canceled.");
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Cancel: b.bin");
    expect(await rowWith(tab, "sending").count()).toBe(3);
    expect(tab.complaints).toEqual([]);
    await page.close();
  });

  test("a person holds a picture until they are removed", async () => {
    const tab = await browser.open(origin);
    const { page } = tab;
    const add = async (name: string, picture: ReturnType<typeof fileOf>) => {
      await page.fill("#personName", name);
      await page.fill("#personEmail", `${name.toLowerCase()}@example.com`);
      await page.setInputFiles("#personPicture", picture);
      await page.click("#addPerson");
    };
    await add("Ada", fileOf(png(3, 2), "me.png"));
    await page.locator("#personStatus").getByText("Ada has the picture: 3 × 2 pixels.").waitFor();
    const address = new URL((await page.locator("#people a").getAttribute("href")) ?? "", origin);
    expect((await fetch(address)).headers.get("content-type")).toBe("image/png");
    const id = /[0-9a-f]{32}/.exec(address.pathname)?.[0];
    const remove = async () => (await fetch(`${origin}/api/uploads/${id}`, { method: "DELETE" })).status;
    expect(await remove()).toBe(409);
    expect(await faultsOf(page)).toEqual([]);

    await add("Bo", fileOf(Buffer.from("no picture"), "me.png"));
    await page.locator("#personStatus").getByText("The type of the file is not allowed. Allowed: PNG, JPEG, WebP.").waitFor();
    await page.click("text=Remove");
    await page.locator("#personStatus").getByText("Ada is removed.").waitFor();
    expect(await page.locator("#people li").count()).toBe(0);
    expect(await remove()).toBe(204);
    expect(tab.complaints).toEqual([expect.stringContaining("status of 422")]);
    await page.close();
  });

  test("a form of a page sends a picture that everybody may see, with a script and without one", async () => {
    const tab = await browser.open(origin);
    const { page } = tab;
    const picture = fileOf(png(3, 2), "me.png");
    await page.setInputFiles("#avatar", picture);
    await page.click("#sendAvatar");
    await page.locator("#avatarResult a").waitFor();
    expect(await page.locator("#avatarStatus").textContent()).toBe("Everybody may see it: 3 × 2 pixels.");
    const address = (await page.locator("#avatarResult a").getAttribute("href")) ?? "";
    expect(address).toMatch(/^\/api\/files\/public\/[0-9a-f]{32}$/);
    expect((await fetch(new URL(address, origin))).headers.get("content-type")).toBe("image/png");
    expect(tab.complaints).toEqual([]);

    await page.setInputFiles("#avatar", fileOf(Buffer.from("no picture"), "me.png"));
    await page.click("#sendAvatar");
    await page.locator("#avatarStatus").getByText("Allowed: PNG, JPEG, GIF, WebP, AVIF.").waitFor();

    await page.goto(`${origin}/form`);
    await page.setInputFiles("input", picture);
    await page.click("button");
    await page.waitForURL(`${origin}/api/avatars`);
    expect(JSON.parse((await page.locator("body").textContent()) ?? "")).toMatchObject({
      status: "ready",
      field: "avatar",
      filename: "me.png",
      contentType: "image/png",
      image: { width: 3, height: 2 },
    });
    await page.close();
  });

  test("Uppy sends several files by its plugin for tus", async () => {
    const tab = await browser.open(`${origin}/uppy`);
    const { page } = tab;
    const sizes = [0, 1, 700_000, 3 * mebibyte];
    const uploaded = (await page.evaluate(`(async () => {
      const instance = new uppy.Uppy().use(uppy.Tus, { endpoint: new URL("api/uploads", location.href).href, chunkSize: ${mebibyte} });
      for (const size of ${JSON.stringify(sizes)}) {
        const data = new Uint8Array(size).map((_, index) => index * 31 + (index >> 8));
        instance.addFile({ name: size + ".bin", type: "application/octet-stream", data: new Blob([data]) });
      }
      const { successful, failed } = await instance.upload();
      return { failed: failed.length, files: successful.map(({ name, uploadURL }) => ({ name, uploadURL })) };
    })()`)) as { failed: number; files: { name: string; uploadURL: string }[] };
    expect(uploaded.failed).toBe(0);
    expect(uploaded.files.map(({ name }) => name).toSorted()).toEqual(sizes.map((size) => `${size}.bin`).toSorted());
    for (const { name, uploadURL } of uploaded.files) {
      const bytes = Uint8Array.from({ length: Number.parseInt(name, 10) }, (_, index) => index * 31 + (index >> 8));
      const document = await (await fetch(uploadURL)).json();
      expect(document).toMatchObject({ status: "ready", filename: name, size: bytes.length, sha256: sha256Of(bytes) });
    }
    expect(tab.complaints).toEqual([]);
    await page.close();
  });
});
