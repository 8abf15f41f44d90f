import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { createShop } from "../../../examples/shop/api.js";
import { start } from "../../../examples/shop/fastify.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { closeServer, listen } from "../../adapters/hosts/host.js";

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} };

/** The contract and the client as one module, which runs on every platform. */
export async function contractScript(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "restwright-contract-"));
  try {
    await build({
      entry: { contract: fileURLToPath(new URL("runContract.ts", import.meta.url)) },
      outDir: folder,
      outExtension: () => ({ js: ".mjs" }),
      format: "esm",
      platform: "browser",
      target: "es2022",
      splitting: false,
      noExternal: [/./],
      config: false,
      silent: true,
      dts: false,
    });
    return await readFile(join(folder, "contract.mjs"), "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Opens the shop below a prefix, and an origin of its own with an empty page and the contract as a script. */
export async function openPlatform(script: string) {
  const pages = createServer((request, response) => {
    const isScript = request.url === "/contract.mjs";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : "<!doctype html><title>Contract</title><link rel=icon href=data:,>");
  });
  await listen(pages);
  const origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
  const service = createShop(readSettings({ DATA_DIR: ":memory:", SHOP_AUTH: "on", CORS_ORIGINS: origin }), quiet);
  const api = await start(service, { port: 0, address: "127.0.0.1", basePath: "/v1" });
  return {
    service,
    origin,
    baseUrl: `http://127.0.0.1:${api.port}/v1`,
    async close(): Promise<void> {
      await api.close(() => service.close());
      await closeServer(pages);
    },
  };
}
