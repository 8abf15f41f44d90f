import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";
import { configWith } from "./vitest.config.js";

const recorded = fileURLToPath(new URL("test/recorder/service.ts", import.meta.url));

/** Tests that import `createService` get one whose answers are compared with its OpenAPI document. */
const recorder: Plugin = {
  name: "recorder",
  enforce: "pre",
  resolveId: (source, importer) => (source === "./service.js" && importer?.endsWith("/src/service/index.ts") ? recorded : undefined),
};

// The same tests as in `vitest.config.ts`. It takes longer, so that `npm test` goes without.
export default configWith({ plugins: [recorder], setupFiles: ["test/recorder/setup.ts"] });
