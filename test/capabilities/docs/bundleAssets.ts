import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";

const browser = fileURLToPath(new URL("../../../src/capabilities/docs/browser/", import.meta.url));

/** Where what is made of the sources for browsers is kept. */
export const bundledFile = fileURLToPath(new URL("../../../src/capabilities/docs/assets/bundled.ts", import.meta.url));

/** The text of {@link bundledFile}: the style sheets and scripts of pages as constants, as the package reads no files. */
export async function bundleAssets(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), "restwright-docs-"));
  try {
    const entry = { page: `${browser}page.ts`, swagger: `${browser}swagger.ts`, style: `${browser}page.css` };
    await build({
      entry,
      outDir,
      format: "iife",
      platform: "browser",
      target: "es2022",
      minify: true,
      silent: true,
      config: false,
      dts: false,
      tsconfig: `${browser}tsconfig.json`,
    });
    const text = async (file: string) => JSON.stringify((await readFile(join(outDir, file), "utf8")).trim());
    return `// Made of src/capabilities/docs/browser by \`npm run docs:assets\`.
export const pageStyle: string =
  ${await text("style.css")};
export const pageScript: string =
  ${await text("page.global.js")};
export const swaggerScript: string =
  ${await text("swagger.global.js")};
`;
  } finally {
    await rm(outDir, { recursive: true });
  }
}
