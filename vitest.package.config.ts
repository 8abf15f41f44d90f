import { defineConfig } from "vitest/config";
import { reporters } from "./vitest.config.js";

/** What users install: slow, since every test is a project of its own, with packages from the registry. Two at a time: they wait for that registry half of the time. */
export default defineConfig({
  test: {
    include: ["test/package/**/*.test.ts"],
    globalSetup: "test/package/setup.ts",
    reporters,
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
