// @slow

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/client.md"), "utf8");
const blocks = [...page.matchAll(/(?:^<!-- given\n([\s\S]*?)-->\n+)?^```ts\n([\s\S]*?)^```/gm)].map(([, given = "", code = ""]) => given + code);

/** What test/docs/code.test.ts declares, as values. The service that a block makes answers at the address of the page. */
function serve() {
  let service: ReturnType<typeof createService> | undefined;
  const make = (options: Parameters<typeof createService>[0]) => {
    service = createService({ ...options, logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} } as never });
    return service;
  };
  vi.stubGlobal("z", z);
  vi.stubGlobal("createService", make);
  vi.stubGlobal("defineResource", defineResource);
  vi.stubGlobal("storage", memoryStorage());
  vi.stubGlobal("token", async () => "any");
  const sent: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const path = request.url.replace("https://shop.example.com/v1", "");
    sent.push(path);
    return service?.fetch(new Request(`http://localhost${path}`, request)) ?? Response.error();
  });
  onTestFinished(async () => {
    vi.unstubAllGlobals();
    await service?.close();
  });
  return sent;
}

test.each(blocks.map((block, index) => [index + 1, block] as const))("block %i of docs/client.md runs", async (index, block) => {
  // Within the repository, so that the names of its entries are resolved.
  const folder = mkdtempSync(join(root, "test/program-client-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, `block${index}.ts`);
  writeFileSync(file, block.replace(/^declare global \{[\s\S]*?^\}/m, ""));
  const log = vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const sent = serve();
  await import(file);
  expect(log.mock.calls.length).toBeGreaterThan(0);
  for (const [first] of log.mock.calls) expect(first).not.toBeUndefined();
  expect(sent.length > 0 || block.includes("fetch: api.fetch")).toBe(true);
});

test("docs/client.md has blocks", () => {
  expect(blocks.length).toBeGreaterThan(7);
});
