// @long

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../e2e/pages/browser.js";
import { needs } from "../tools/engines.js";
import { contractScript, openPlatform } from "./contract/platform.js";
import { type CaseResult, contractCases, runContract } from "./contract/runContract.js";

let at: Awaited<ReturnType<typeof openPlatform>>;
beforeAll(async () => {
  at = await openPlatform(await contractScript());
}, 60_000);
afterAll(() => at.close());

/** Where the same cases run. */
const platforms: Readonly<Record<string, () => Promise<CaseResult[]>>> = {
  "in process": () => runContract({ baseUrl: "http://localhost", fetch: at.service.fetch }, "process"),
  "over a socket": () => runContract({ baseUrl: at.baseUrl }, "socket"),
  "on a page of another origin in Chromium": async () => {
    const browser = await openBrowser();
    try {
      const { page } = await browser.open(at.origin);
      return await page.evaluate<CaseResult[]>(
        `import("/contract.mjs").then(({ runContract }) => runContract({ baseUrl: "${at.baseUrl}" }, "page"))`,
      );
    } finally {
      await browser.close();
    }
  },
};

describe.each(Object.keys(platforms))("The client, %s,", (platform) => {
  let results = new Map<string, CaseResult>();
  const needed = needs(...(platform.includes("Chromium") ? (["chromium"] as const) : []));
  beforeAll(async () => {
    if (!needed.skip) results = new Map((await platforms[platform]?.())?.map((result) => [result.name, result]));
  }, 120_000);

  test.each(contractCases.map(({ name }) => name))("%s", needed, (name) => {
    const { seen, expected } = results.get(name) ?? {};
    expect(seen).toBe(expected);
    expect(seen).toBeDefined();
  });
});
