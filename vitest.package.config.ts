import { defineConfig } from "vitest/config";

/** What users install: slow, since every test is a project of its own, with packages from the registry. */
export default defineConfig({
  test: {
    include: ["test/package/**/*.test.ts"],
    globalSetup: "test/package/setup.ts",
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
