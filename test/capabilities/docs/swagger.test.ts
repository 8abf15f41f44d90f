// @long

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createService, defineResource } from "restwright";
import { docs } from "restwright/docs";
import { memoryStorage } from "restwright/memory";
import { type OpenApiOptions, openapi } from "restwright/openapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Listening } from "../../../examples/shop/host.js";
import { readSwaggerFiles } from "../../../src/capabilities/docs/swagger/files.js";
import { openBrowser } from "../../e2e/pages/browser.js";
import { listen } from "../../e2e/shop/shopHost.js";
import { clientOf } from "../../tools/client.js";
import { needs } from "../../tools/engines.js";
import { attributesOf, crawl } from "./pageSite.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });

function swagger(options: Partial<OpenApiOptions> = {}) {
  const use = [openapi({ info: { title: "Notes", version: "1" }, ...options }), docs({ ui: "swagger" })];
  return createService({ resources: [notes], storage: memoryStorage(), logger: false, use });
}

test("the page has the policy, and its files their sums", async () => {
  const send = clientOf(swagger());
  const { headers, text } = await send({ target: "/docs" });
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  expect(attributesOf(text, "integrity")).toHaveLength(3);
  const site = await crawl(send, { mount: "/v1" });
  expect([...site.keys()].filter((at) => at.includes("/assets/")).map((at) => at.split("/").at(-1))).toEqual(
    expect.arrayContaining(["swagger-ui.css", "swagger-ui-bundle.js", "swagger.js"]),
  );
  const [script = ""] = attributesOf(text, "src");
  expect((await send({ target: `/${script}` })).headers["content-type"]).toBe("text/javascript; charset=utf-8");
});

test("no other file of the package can be reached", async () => {
  const send = clientOf(swagger());
  const [script = ""] = attributesOf((await send({ target: "/docs" })).text, "src");
  const folder = `/${script.slice(0, script.lastIndexOf("/"))}`;
  for (const target of [
    "/docs/assets/../package.json",
    `${folder}/package.json`,
    `${folder}/..%2fpackage.json`,
    `${folder}/swagger-ui-standalone-preset.js`,
    `${folder}/index.html`,
  ]) {
    expect([target, (await send({ target })).status]).toEqual([target, 404]);
  }
});

test("a missing package, one of another version and a document that is not served are errors at start-up", () => {
  const missing = () => createRequire(import.meta.url).resolve("a-package-that-is-missing");
  expect(() => readSwaggerFiles(missing)).toThrow("npm install swagger-ui-dist@^5.32");
  const folder = mkdtempSync(join(tmpdir(), "restwright-swagger-"));
  try {
    for (const version of ["5.31.9", "6.0.0", "4.40.0"]) {
      writeFileSync(join(folder, "package.json"), JSON.stringify({ version }));
      expect(() => readSwaggerFiles(() => join(folder, "package.json"))).toThrow(`${version} is installed. Run: npm install swagger-ui-dist@^5.32`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(() => swagger({ path: false })).toThrow('"path" of openapi() must not be false');
});

describe("in a browser (set CHROMIUM_PATH to run)", needs("chromium"), () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let at: Listening;
  const service = swagger();
  beforeAll(async () => {
    at = await listen("fastify", service);
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await at.close(() => service.close());
  });

  test("operations are shown and sent, without a violation or a request elsewhere", async () => {
    const { page, complaints } = await browser.open("about:blank");
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!/^(?:http:\/\/127\.0\.0\.1:|data:)/.test(request.url())) foreign.push(request.url());
    });
    await page.goto(`http://127.0.0.1:${at.port}/docs`);
    await page.locator(".opblock-get .opblock-summary-control").first().click();
    await page.getByRole("button", { name: "Try it out" }).click();
    await page.getByRole("button", { name: "Execute" }).click();
    await page.locator(".live-responses-table .response-col_status").getByText("200").waitFor();
    expect([complaints, foreign]).toEqual([[], []]);
    await page.close();
  });

  test("a changed byte of a file is refused", async () => {
    const { page, complaints } = await browser.open("about:blank");
    await page.route("**/swagger-ui-bundle.js", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${await response.text()} ` });
    });
    await page.goto(`http://127.0.0.1:${at.port}/docs`);
    expect(complaints.join()).toContain("integrity");
    expect(await page.locator(".swagger-ui").count()).toBe(0);
    await page.close();
  });
});
