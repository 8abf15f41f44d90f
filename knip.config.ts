import type { KnipConfig } from "knip";
import { entries } from "./test/rooms/rooms.js";

const config: KnipConfig = {
  entry: [
    ...[...entries.values(), "adapters/cli.ts"].map((source) => `${source}!`),
    "src/capabilities/docs/browser/{page,swagger}.ts",
    "examples/*/main.ts",
    "examples/import/makeUsers.ts",
    "examples/*/page/page.js",
    "examples/shop/page/*.js",
    "examples/parsers-only/*.ts",
    "bench/**/*.ts",
    "test/**/*.{test,test-d}.ts",
    "test/{long,long/kills,long/load,long/races,fuzz}/*.ts",
    "test/{attacks,e2e}/**/*Worker.ts",
    "test/e2e/pages/uppyPage.js",
    "test/engine/service/scripts/{rateLimitScript,script}.ts",
    "docs/site/.vitepress/{config,theme/index}.ts",
    "docs/site/package/{prepack,postpack}.ts",
    "test/tools/recorder/service.ts",
    ".ci/*.mjs",
  ],
  // Programs of other people's tools are compiled and run beside the packages of those.
  project: ["{src,adapters}/**/*.ts!", "{examples,bench,test,docs}/**/*.ts", "!test/long/clients/programs/**", ".ci/*.mjs"],
  ignoreExportsUsedInFile: true,
  ignoreBinaries: ["clamd", "mkfifo", "psql", "redis-server"],
  ignoreUnresolved: ["./client.js", "./uploads.js", "./amounts.js", "./words.js", "./dropZone.js"],
  ignoreDependencies: ["json-patch-test-suite", "swagger-ui-dist", "vitepress"],
};

export default config;
