import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^restwright$/, replacement: at("src/index.ts") },
      { find: /^restwright\/(query|fields|patch|idempotency|batch|transfer|uploads|webhooks|testing)$/, replacement: at("src/$1/index.ts") },
      { find: /^restwright\/(.+)$/, replacement: at("adapters/$1.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    // What users install has a configuration of its own: it needs a registry and minutes.
    exclude: ["test/package/**"],
    globalSetup: "test/compiled/setup.ts",
    typecheck: { include: ["test/**/*.test-d.ts"] },
    testTimeout: 60_000,
    // Many tests wait for processes, sockets and databases: on two cores the usual one worker would leave the other idle.
    maxWorkers: "100%",
  },
});
