import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "tsup";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../src/client/", import.meta.url));
const kibibyte = 1_024;

/** What an empty bundle with one import and one call has, as size-limit takes it off. */
const emptyBytes = 46;

/** Bundles a program for pages, and tells what it is made of and its size, minified and compressed. */
async function bundle(program: string, external: string[] = []): Promise<{ inputs: string[]; bytes: number }> {
  const folder = mkdtempSync(join(tmpdir(), "restwright-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "page.ts"), program.replace("@", root));
  await build({
    entry: { page: join(folder, "page.ts") },
    outDir: join(folder, "out"),
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    splitting: false,
    metafile: true,
    external,
    config: false,
    silent: true,
    dts: false,
    noExternal: external.length === 0 ? [/./] : [],
  });
  const outputs = readdirSync(join(folder, "out"));
  const meta = outputs.find((name) => name.startsWith("metafile")) ?? "";
  const script = outputs.find((name) => name.endsWith("js") && !name.startsWith("metafile")) ?? "";
  const { inputs } = JSON.parse(readFileSync(join(folder, "out", meta), "utf8")) as { inputs: Record<string, unknown> };
  return {
    inputs: Object.keys(inputs).filter((name) => !name.endsWith("page.ts")),
    bytes: gzipSync(readFileSync(join(folder, "out", script))).length - emptyBytes,
  };
}

test("The client is bundled with its own files only, and requests for single rows need at most 4 KB", async () => {
  const everything = await bundle('import * as client from "@index.ts"; console.log(client);');
  expect(everything.inputs.length).toBeGreaterThan(15);
  expect(everything.inputs.filter((name) => !name.includes("src/client/"))).toEqual([]);
  expect(everything.bytes).toBeLessThanOrEqual(7.5 * kibibyte);
  const single = await bundle('import { createClient } from "@createClient.ts"; console.log(createClient);', ["./more.js"]);
  expect(single.bytes).toBeLessThanOrEqual(4 * kibibyte);
});

test("Uploads need at most 3 KB", async () => {
  const uploads = await bundle('import { startUpload } from "@uploads/index.ts"; console.log(startUpload);');
  expect(uploads.inputs.filter((name) => !name.includes("src/client/"))).toEqual([]);
  expect(uploads.bytes).toBeLessThanOrEqual(3 * kibibyte);
});
