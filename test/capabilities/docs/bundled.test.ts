// @slow

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { bundleAssets, bundledFile } from "./bundleAssets.js";

test("the style sheet and the script of the package are those of src/capabilities/docs/browser (else: npm run docs:assets)", async () => {
  expect(await readFile(bundledFile, "utf8")).toBe(await bundleAssets());
});
