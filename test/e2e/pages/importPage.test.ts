// @long

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columns, userLines } from "../../../examples/import/userLines.js";
import { needs } from "../../tools/engines.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { openBrowser, type Tab } from "./browser.js";
import { makeUsers, startImportPage } from "./importPageProcess.js";
import { faultsOf } from "./pageChecks.js";

let app: Awaited<ReturnType<typeof startImportPage>>;
beforeAll(async () => {
  app = await startImportPage();
}, 60_000);
afterAll(async () => expect(await app.stop()).toBe(0));

/** A file whose e-mails no other test has. */
function usersFile(rows: number, seed: number, header: string = columns.join(",")): string {
  return `${header}\n${Array.from(userLines(rows, seed), ({ text }) => text).join("")}`;
}

test("the page loads from its own origin alone, under a policy that says so", async () => {
  const loaded = new Map<string, string>();
  for (const waiting = ["/"]; waiting.length > 0; ) {
    const path = waiting.pop() ?? "";
    if (loaded.has(path)) continue;
    const response = await fetch(`${app.origin}${path}`);
    const text = await response.text();
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'self';(?!.*unsafe)/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(text.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:\/\/|<style| style=| on[a-z]+="/);
    loaded.set(path, response.headers.get("content-type") ?? "");
    for (const [, name] of text.matchAll(/(?:href|src|from)[ =]"(?:\.\/)?([\w.]+)"/g)) waiting.push(`/${name}`);
  }
  expect(Object.fromEntries(loaded)).toMatchObject({
    "/": "text/html; charset=utf-8",
    "/page.css": "text/css; charset=utf-8",
    "/page.js": "text/javascript; charset=utf-8",
    "/base.css": "text/css; charset=utf-8",
    "/client.js": "text/javascript; charset=utf-8",
    "/fetchWithProgress.js": "text/javascript; charset=utf-8",
    "/icon.svg": "image/svg+xml",
  });
  expect((await fetch(`${app.origin}/main.ts`)).status).toBe(404);
});

test("makeUsers makes one file of one seed, and it is as wrong as it says", async () => {
  const { file, said } = await makeUsers("--rows", "2000", "--seed", "7");
  expect(file).toBe(usersFile(2_000, 7));
  expect(file).not.toBe(usersFile(2_000, 8));
  expect(said).toBe("2000 rows; wrong: 3 bad e-mail, 3 e-mail twice, 2 wrong width\n");

  const job = await app.importUsers(file);
  expect(job).toMatchObject({ status: "completed", result: { created: 1_992, updated: 0, skipped: 0, failed: 8 } });
  const errors = await fetch(`${app.origin}${job.links.errors}`, { headers: { accept: "application/json" } });
  const codes = ((await errors.json()) as { errors: { row: number; code: string }[] }).errors.map(({ row, code }) => `${row} ${code}`);
  expect(codes).toEqual([
    "250 VALIDATION_FAILED",
    "500 DUPLICATE_EMAIL",
    "750 ROW_WIDTH",
    "1000 VALIDATION_FAILED",
    "1250 DUPLICATE_EMAIL",
    "1500 ROW_WIDTH",
    "1750 VALIDATION_FAILED",
    "2000 DUPLICATE_EMAIL",
  ]);
});

describe("the page in a browser (set CHROMIUM_PATH to run)", needs("chromium"), () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  /** By its path: what is sent through the wire of the browser's tools is slow, and at most 50 MB. */
  const choose = ({ page }: Tab, text: string) => {
    const path = join(temporaryFolder(), "users.csv");
    writeFileSync(path, text);
    return page.setInputFiles("#file", path);
  };
  const reach = ({ page }: Tab, status: string) => page.locator(`#import[data-status="${status}"]`).waitFor();
  const textOf = ({ page }: Tab, id: string) => page.locator(`#${id}`).textContent();

  test("changes users by their e-mail, and asks for progress where no events come through", async () => {
    const tab = await browser.open(app.origin);
    const { page } = tab;
    const polled: string[] = [];
    await page.route("**/api/imports/*", (route) => {
      const { accept = "" } = route.request().headers();
      // As a proxy that does not know of streams: the job itself, once.
      if (accept !== "text/event-stream") polled.push(accept);
      return route.continue({ headers: { ...route.request().headers(), accept: "application/json" } });
    });
    const file = usersFile(600, 4);
    await app.importUsers(file);
    await choose(tab, file);
    await page.selectOption("#mode", "upsert");
    await page.click("#submit");
    await reach(tab, "completed");
    expect(await Promise.all(["created", "updated", "skipped", "failed"].map((id) => textOf(tab, id)))).toEqual(["0", "599", "0", "1"]);
    expect(await textOf(tab, "warning")).toMatch(/^The same file was sent before/);
    expect(new Set(polled)).toEqual(new Set(["application/json"]));
    expect(tab.complaints).toEqual([]);
    await page.close();
  });

  test("shows an import as it goes on, its counts, the rows that failed and the report of them", async () => {
    const tab = await browser.open(app.origin);
    const { page } = tab;
    const asked: string[] = [];
    page.on("request", (request) => {
      if (/\/imports\/[^/]+$/.test(request.url())) asked.push(request.headers()["accept"] ?? "");
    });
    await page.evaluate(`
      globalThis.seen = [];
      new MutationObserver(() => seen.push(importBar.value)).observe(importBar, { attributeFilter: ["value"] });
    `);
    await choose(tab, usersFile(30_000, 1));
    await page.click("#submit");
    await page.locator("#cancel").waitFor();
    expect(await page.locator("#submit").getAttribute("aria-disabled")).toBe("true");
    expect(await page.evaluate("document.activeElement.id")).toBe("submit");
    await reach(tab, "completed");

    const seen = (await page.evaluate("seen")) as number[];
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen.filter((value) => value > 0 && value < 1)).size).toBeGreaterThanOrEqual(2);
    expect(seen.at(-1)).toBe(1);
    expect(asked).toEqual(["text/event-stream"]);
    expect(await page.evaluate("uploadBar.value")).toBe(1);
    expect(await Promise.all(["created", "updated", "skipped", "failed"].map((id) => textOf(tab, id)))).toEqual(["29,880", "0", "0", "120"]);
    expect(await textOf(tab, "status")).toBe("The import is complete. 120 rows failed.");
    expect(await textOf(tab, "importText")).toMatch(/^100% · 30,000 of 30,000 rows · in \d+ (?:sec|min)$/);
    expect(await textOf(tab, "uploadText")).toMatch(/^100% · ([\d.]+ MB) of \1$/);

    await page.getByText("Rows 1 to 25 of 120 that failed").waitFor();
    const rows = page.locator("#errorRows tr");
    expect(await rows.count()).toBe(25);
    expect(await rows.nth(0).locator("td").allTextContents()).toEqual(
      expect.arrayContaining(["250", "email: Invalid email address", expect.stringContaining("user250 at example.com")]),
    );
    await page.focus("#next");
    for (const caption of ["26 to 50", "51 to 75", "76 to 100", "101 to 120", "101 to 120"]) {
      await page.keyboard.press("Enter");
      await page.getByText(`Rows ${caption} of 120 that failed`).waitFor();
    }
    expect(await page.evaluate("document.activeElement.id")).toBe("next");
    expect(await rows.last().locator("td").first().textContent()).toBe("30000");
    await page.click("#previous");
    await page.getByText("Rows 76 to 100 of 120 that failed").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const download = page.waitForEvent("download");
    await page.click("#report");
    expect((await download).suggestedFilename()).toMatch(/^import-.+-errors\.csv$/);
    expect(await page.locator("#submit").getAttribute("aria-disabled")).toBe("false");
    expect(tab.complaints).toEqual([]);
    await page.close();
  });

  test("says all that is wrong with a header, and is done with the keyboard alone", async () => {
    const tab = await browser.open(app.origin);
    await choose(tab, usersFile(10, 2, "name,emial,status,tags,<img src=x>,b,c,d,name"));
    expect(await textOf(tab, "chosen")).toMatch(/^users\.csv, [\d.]+ (?:kB|bytes)$/);
    await tab.page.keyboard.press("Tab");
    expect(await tab.page.evaluate("document.activeElement.id")).toBe("file");
    for (const id of ["", "mode", "onError", "dryRun", "submit"]) {
      await tab.page.keyboard.press("Tab");
      expect(await tab.page.evaluate("document.activeElement.id")).toBe(id);
    }
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("alert").waitFor();
    const errors = await tab.page.getByRole("alert").getByRole("listitem").allTextContents();
    expect(errors).toContain('Unknown column "emial" (column 2). Did you mean "email"? UNKNOWN_COLUMN');
    expect(errors).toContain('The required column "email" is missing. MISSING_COLUMN');
    expect(errors).toContain('Unknown column "<img src=x>" (column 5). UNKNOWN_COLUMN');
    expect(errors).toContain('The columns "name" and "name" set the same field. REPEATED_COLUMN');
    expect(await textOf(tab, "problemDetail")).toMatch(/^\d+ things are wrong with the file$/);
    expect(await tab.page.evaluate("document.activeElement.id")).toBe("submit");
    expect(await faultsOf(tab.page)).toEqual([]);
    expect(tab.complaints).toEqual([expect.stringContaining("status of 422")]);
    await tab.page.close();
  });

  test("takes a file that is dropped, shows how much of it is sent, and ends an upload", async () => {
    const tab = await browser.open(app.origin);
    const { page } = tab;
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1e6 });
    await page.evaluate(`
      const data = new DataTransfer();
      data.items.add(new File(["name,email\\n" + "x".repeat(12e6)], "big.csv", { type: "text/csv" }));
      globalThis.dropped = data;
      const dispatch = (type) => document.getElementById("drop").dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      dispatch("dragover");
      globalThis.isOver = document.getElementById("drop").classList.contains("over");
      dispatch("drop");
    `);
    expect(await page.evaluate("[isOver, document.getElementById('drop').classList.contains('over')]")).toEqual([true, false]);
    expect(await textOf(tab, "chosen")).toBe("big.csv, 12 MB");
    await page.click("#submit");
    await expect.poll(() => textOf(tab, "uploadText"), { timeout: 20_000 }).toMatch(/^\d+% · [\d.]+ MB of 12 MB · [\d.]+ [kM]B\/s · \d+ sec left$/);
    await page.click("#cancel");
    await page.getByText("The upload was canceled; nothing was imported.").waitFor();
    expect(await page.locator("#import").isVisible()).toBe(false);
    expect(await page.evaluate("document.activeElement.id")).toBe("submit");
    expect(tab.complaints).toEqual([]);
    await page.close();
  });

  test("follows an import again after the server could not be reached", async () => {
    const tab = await browser.open(app.origin);
    const { page } = tab;
    await page.route("**/api/imports/*", (route) => route.abort());
    await choose(tab, usersFile(1_000, 5));
    await page.click("#submit");
    await page.getByText("The server cannot be reached.").waitFor({ timeout: 40_000 });
    expect(await page.locator("#submit").getAttribute("aria-disabled")).toBe("true");
    await page.unroute("**/api/imports/*");
    await reach(tab, "completed");
    expect(await page.locator("#problem").isVisible()).toBe(false);
    expect(await page.locator("#submit").getAttribute("aria-disabled")).toBe("false");
    await page.close();
  });

  test("cancels an import, and goes on with it", async () => {
    const tab = await browser.open(app.origin);
    const { page } = tab;
    await choose(tab, usersFile(200_000, 3));
    await page.click("#submit");
    await reach(tab, "processing");
    await page.click("#cancel");
    await reach(tab, "failed");
    expect(await textOf(tab, "status")).toBe("Canceled. What was imported until then stays.");
    const imported = (await page.evaluate("importBar.value")) as number;
    expect(imported).toBeLessThan(1);

    await page.click("#resume");
    await reach(tab, "processing");
    const isFurther = `importBar.value > ${imported}`;
    await expect.poll(() => page.evaluate(isFurther)).toBe(true);
    expect(tab.complaints).toEqual([]);
    await page.close();
  });
});
