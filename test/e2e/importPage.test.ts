import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columns, userLines } from "../../examples/import/userLines.js";
import { chromiumPath, openBrowser, type Tab } from "./browser.js";
import { makeUsers, startImportPage } from "./importPageProcess.js";
import { temporaryFolder } from "./temporary.js";

let app: Awaited<ReturnType<typeof startImportPage>>;
beforeAll(async () => {
  app = await startImportPage();
});
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
    "/followJob.js": "text/javascript; charset=utf-8",
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

describe.skipIf(chromiumPath === undefined)("the page in a browser (set CHROMIUM_PATH to run)", () => {
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
    const asked: (string | undefined)[] = [];
    await page.route("**/api/imports/*", (route) => {
      if (route.request().resourceType() === "eventsource") return route.fulfill({ status: 503, body: "" });
      asked.push(route.request().headers()["accept"]);
      return route.continue();
    });
    const file = usersFile(600, 4);
    await app.importUsers(file);
    await choose(tab, file);
    await page.selectOption("#mode", "upsert");
    await page.click("#submit");
    await reach(tab, "completed");
    expect(await Promise.all(["created", "updated", "skipped", "failed"].map((id) => textOf(tab, id)))).toEqual(["0", "599", "0", "1"]);
    expect(await textOf(tab, "warning")).toMatch(/^The same file was sent before/);
    expect(new Set(asked)).toEqual(new Set(["application/json"]));
    expect(tab.complaints).toEqual([expect.stringContaining("status of 503")]);
    await page.close();
  });

  test("shows an import as it goes on, its counts, the rows that failed and the report of them", async () => {
    const tab = await browser.open(app.origin);
    const { page } = tab;
    const asked: string[] = [];
    page.on("request", (request) => {
      if (/\/imports\/[^/]+$/.test(request.url())) asked.push(request.resourceType());
    });
    await page.evaluate(`
      globalThis.seen = [];
      new MutationObserver(() => seen.push(importBar.value)).observe(importBar, { attributeFilter: ["value"] });
    `);
    await choose(tab, usersFile(30_000, 1));
    await page.click("#submit");
    await page.locator("#cancel").waitFor();
    expect(await page.locator("#submit").isDisabled()).toBe(true);
    await reach(tab, "completed");

    const seen = (await page.evaluate("seen")) as number[];
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen.filter((value) => value > 0 && value < 1)).size).toBeGreaterThanOrEqual(2);
    expect(seen.at(-1)).toBe(1);
    expect(asked).toEqual(["eventsource"]);
    expect(await page.evaluate("uploadBar.value")).toBe(1);
    expect(await Promise.all(["created", "updated", "skipped", "failed"].map((id) => textOf(tab, id)))).toEqual(["29,880", "0", "0", "120"]);
    expect(await textOf(tab, "status")).toBe("The import is complete. 120 rows failed.");
    expect(await textOf(tab, "importText")).toBe("30,000 of 30,000 rows (100%)");
    expect(await textOf(tab, "rate")).toMatch(/^[\d,]+$/);

    await page.getByText("The first 100 of 120").waitFor();
    const rows = page.locator("#errorRows tr");
    expect(await rows.count()).toBe(100);
    expect(await rows.nth(0).locator("td").allTextContents()).toEqual(
      expect.arrayContaining(["250", "VALIDATION_FAILED", "email: Invalid email address", expect.stringContaining("user250 at example.com")]),
    );
    const download = page.waitForEvent("download");
    await page.click("#report");
    expect((await download).suggestedFilename()).toMatch(/^import-.+-errors\.csv$/);
    expect(await page.locator("#submit").isDisabled()).toBe(false);
    expect(tab.complaints).toEqual([]);
    await page.close();
  });

  test("says all that is wrong with a header, and is done with the keyboard alone", async () => {
    const tab = await browser.open(app.origin);
    await choose(tab, usersFile(10, 2, "name,emial,status,tags,<img src=x>,b,c,d,name"));
    await tab.page.focus("#file");
    for (const id of ["mode", "onError", "dryRun", "submit"]) {
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
    expect(await tab.page.evaluate("document.activeElement.id")).toBe("submit");
    expect(tab.complaints).toEqual([expect.stringContaining("status of 422")]);
    await tab.page.close();
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
