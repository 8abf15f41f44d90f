// @long

import type { Locator, Page } from "playwright-core";
import { createService, defineResource, type Service } from "restwright";
import { digest } from "restwright/auth";
import { docs } from "restwright/docs";
import { formats } from "restwright/formats";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { uploads } from "restwright/uploads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Listening } from "../../../examples/shop/host.js";
import { openBrowser } from "../../e2e/pages/browser.js";
import { listen } from "../../e2e/shop/shopHost.js";
import { needs } from "../../tools/engines.js";
import { violationsOf } from "./violations.js";

const notes = defineResource("notes", {
  schema: z.object({
    id: z.int(),
    text: z.string().max(80),
    kind: z.enum(["idea", "task"]).default("idea"),
    done: z.boolean(),
    tags: z.array(z.string()),
    place: z.object({ city: z.string() }).optional(),
  }),
  generated: { id: "increment" },
  accepts: ["json", "form", "multipart"],
});
const document = openapi({ info: { title: "Notes", version: "1" } });
const common = { resources: [notes], logger: false } as const;

describe("forms in a browser (set CHROMIUM_PATH to run)", needs("chromium"), () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  const opened: { readonly at: Listening; readonly service: Service }[] = [];
  let open: string;
  let signed: string;

  async function serve(service: Service): Promise<string> {
    const at = await listen("fastify", service);
    opened.push({ at, service });
    return `http://127.0.0.1:${at.port}`;
  }

  beforeAll(async () => {
    const files = uploads({ blobs: memoryBlobs(), types: "any", forms: { letters: { types: "any" } } });
    const secrets = ["a secret of some length"];
    open = await serve(createService({ ...common, secrets, storage: memoryStorage(), use: [formats(), files, document, docs()] }));
    signed = await serve(
      createService({ ...common, auth: [digest({ ha1: () => undefined })], storage: memoryStorage(), use: [formats(), document, docs()] }),
    );
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    for (const { at, service } of opened) await at.close(() => service.close());
  });

  async function tryIt(page: Page, id: string): Promise<Locator> {
    const section = page.locator(`[id="${id}"]`);
    await section.getByRole("button", { name: /^Try it/ }).click();
    return section;
  }

  async function answerOf(page: Page, section: Locator, method: string): Promise<readonly [string, unknown]> {
    await section.getByRole("button", { name: `Send ${method}` }).click();
    await page.getByRole("button", { name: "Send it" }).click();
    await section.locator(".answer-body").waitFor();
    return [(await section.locator(".answer-status").textContent()) ?? "", JSON.parse((await section.locator(".answer-body").textContent()) ?? "")];
  }

  test.each(["application/x-www-form-urlencoded", "multipart/form-data"])("the fields of %s are those of the schema", async (type) => {
    const { page, complaints } = await browser.open(`${open}/docs`);
    const section = await tryIt(page, "notes.create");
    await section.getByLabel("Media type").selectOption(type);
    expect(await section.getByLabel("or a file").count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await section.getByLabel("text", { exact: true }).fill("Buy seeds & <b>soil</b>");
    await section.getByLabel("kind").selectOption("task");
    await section.getByLabel("tags (one value a line)").fill("garden\nspring\n");
    await section.getByRole("button", { name: "Send POST" }).click();
    // The browser asks for the field that is required.
    expect(await page.getByRole("dialog").count()).toBe(0);
    await section.getByLabel("done").selectOption("true");
    await section.getByLabel("place[city]").fill("Bonn");
    const [status, row] = await answerOf(page, section, "POST");
    expect(status).toMatch(/^201 Created/);
    expect(row).toMatchObject({ text: "Buy seeds & <b>soil</b>", kind: "task", done: true, tags: ["garden", "spring"], place: { city: "Bonn" } });
    await section.getByLabel("Media type").selectOption("application/json");
    expect(await section.getByLabel("Text", { exact: true }).inputValue()).toContain('"text"');
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("a form with files takes those that the reader adds", async () => {
    const { page, complaints } = await browser.open(`${open}/docs`);
    const section = await tryIt(page, "letters.create");
    await section.getByRole("button", { name: "Add a file" }).click();
    await section.getByLabel("Name").fill("letter");
    await section.getByLabel("File").setInputFiles({ name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from("Dear Ada") });
    await section.getByRole("button", { name: "Add a field" }).click();
    await section.getByLabel("Name").last().fill("subject");
    await section.getByLabel("Value").fill("Seeds");
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    const [status, answer] = await answerOf(page, section, "POST");
    expect(status).toMatch(/^201 Created/);
    expect(JSON.stringify(answer)).toContain('"filename":"letter.txt"');
    expect(JSON.stringify(answer)).toContain('"subject":"Seeds"');
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("an operation whose requests are signed shows the curl line in place of a form", async () => {
    const { page, complaints } = await browser.open(`${signed}/docs`);
    const section = page.locator('[id="notes.create"]');
    expect(await section.locator(".unsigned").textContent()).toBe(
      "This page cannot sign requests, which Digest needs. Use the curl line with your credentials.",
    );
    expect(await section.getByRole("button", { name: /^Try it/ }).count()).toBe(0);
    expect(await section.locator(".snippets code").first().isVisible()).toBe(true);
    expect(await section.locator(".snippets code").first().textContent()).toMatch(
      /^curl -X POST 'http:\/\/127\.0\.0\.1:\d+\/notes' \\\n {2}--digest/,
    );
    expect(complaints).toEqual([]);
    await page.close();
  });
});
