import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumPath } from "../../tools/engines.js";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A page, and what its browser had to say against it. */
export interface Tab {
  readonly page: Page;
  /** Errors on the console, exceptions that nobody caught and violations of the Content-Security-Policy. */
  readonly complaints: readonly string[];
}

/**
 * Starts a browser without a window, with a profile of its own.
 *
 * @param options of all its pages, such as the size of its window
 */
export async function openBrowser(options: BrowserContextOptions = {}) {
  const profile = mkdtempSync(join(tmpdir(), "restwright-chromium-"));
  const context = await chromium.launchPersistentContext(profile, { ...options, executablePath: chromiumPath ?? "", headless: true, args: flags });
  return {
    async open(url: string): Promise<Tab> {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(url);
      return { page, complaints };
    },
    async close(): Promise<void> {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
