import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";

/**
 * The client as one script for a page. A project of yours imports `restwright/client`, and leaves this to its own bundler.
 *
 * @param entry `client`, or `client/uploads` for `startUpload`
 */
export async function clientScript(entry: "client" | "client/uploads" = "client"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "restwright-client-"));
  try {
    await build({
      entry: { client: fileURLToPath(new URL(`../../src/${entry}/index.ts`, import.meta.url)) },
      outDir: folder,
      outExtension: () => ({ js: ".js" }),
      format: "esm",
      platform: "browser",
      target: "es2022",
      splitting: false,
      config: false,
      silent: true,
      dts: false,
    });
    return await readFile(join(folder, "client.js"), "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}
