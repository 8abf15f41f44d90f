// @slow

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createShop } from "../../examples/shop/api.js";
import { start } from "../../examples/shop/fastify.js";
import { readSettings } from "../../examples/shop/settings.js";

const run = promisify(execFile);
const json = "Content-Type: application/json";

async function stage(variables: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "compression-"));
  const service = createShop(readSettings({ DATA_DIR: ":memory:", ...variables }));
  const server = await start(service, { port: 0, address: "127.0.0.1", basePath: "" });
  onTestFinished(async () => {
    await server.close(() => service.close());
    rmSync(folder, { recursive: true });
  });
  const users = Array.from({ length: 50 }, (_, index) => ({ name: `User ${index}`, email: `user${index}@example.com` }));
  const file = join(folder, "users.json.gz");
  writeFileSync(file, gzipSync(JSON.stringify({ items: users })));
  const curl = async (path: string, ...options: readonly string[]) =>
    (await run("curl", ["-sS", "-i", ...options, `http://127.0.0.1:${server.port}${path}`])).stdout;
  return { curl, file };
}

test("curl sends a compressed batch to the shop, and reads compressed lists and exports", async () => {
  const { curl, file } = await stage();
  expect(await curl("/users/batch", "-H", json, "-H", "Content-Encoding: gzip", "--data-binary", `@${file}`)).toMatch(/^HTTP\/1\.1 20[017] /);
  for (const path of ["/users?perPage=50", "/users/export?format=ndjson"]) {
    const answer = await curl(path, "--compressed");
    expect(answer).toMatch(/^content-encoding: (?:br|gzip|zstd)\r$/im);
    expect(answer).toContain("user49@example.com");
    expect(await curl(path)).not.toMatch(/^content-encoding/im);
  }
});

test("COMPRESSION=off turns it off", async () => {
  const { curl, file } = await stage({ COMPRESSION: "off" });
  expect(await curl("/users/batch", "-H", json, "-H", "Content-Encoding: gzip", "--data-binary", `@${file}`)).toMatch(/^HTTP\/1\.1 415 /);
  expect(await curl("/users", "--compressed")).not.toMatch(/^(?:content-encoding|vary:.*accept-encoding)/im);
});
