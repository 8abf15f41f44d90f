import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { Consumer } from "./consumer.js";

/** The entries as users write them: `restwright`, `restwright/express` … */
const entries = Object.keys(manifest.exports).map((entry) => entry.replace(".", "restwright"));

describe("The packed tarball", () => {
  const modern = new Consumer("module");
  const common = new Consumer("commonjs");
  beforeAll(async () => {
    await Promise.all([modern, common].map((consumer) => consumer.install([inject("tarball"), "zod", "hono"])));
  });
  afterAll(() => {
    modern.remove();
    common.remove();
  });

  test.each(entries)("has %s, without any optional package but Hono installed", async (entry) => {
    modern.write("main.js", `import * as entry from ${JSON.stringify(entry)}; console.log(Object.keys(entry).length);`);
    expect(Number(await modern.run(process.execPath, ["main.js"]))).toBeGreaterThan(0);
  });

  test("has a command line", async () => {
    expect(await modern.run("npx", ["--no-install", "restwright", "--version"])).toBe(`${manifest.version}\n`);
    expect(await common.run("npx", ["--no-install", "restwright", "import", "--help"])).toContain("restwright import <file|->");
  });

  test("keeps what is not exported to itself", async () => {
    modern.write("main.js", `import "restwright/dist/index.js";`);
    await expect(modern.run(process.execPath, ["main.js"])).rejects.toThrow("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });

  test("can be required by CommonJS, which gets the same classes as an import", async () => {
    common.write(
      "main.js",
      `const { createService, defineResource, ProblemError } = require("restwright");
       const { memoryStorage } = require("restwright/memory");
       const { z } = require("zod");
       const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
       const service = createService({ resources: [notes], storage: memoryStorage() });
       import("restwright").then(async (imported) => {
         await service.close();
         console.log(imported.ProblemError === ProblemError);
       });`,
    );
    expect(await common.run(process.execPath, ["main.js"])).toBe("true\n");
  });
});
