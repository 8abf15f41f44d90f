import { writeFile } from "node:fs/promises";
import { bundleAssets, bundledFile } from "./bundleAssets.js";

await writeFile(bundledFile, await bundleAssets());
