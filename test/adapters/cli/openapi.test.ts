import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { programFolder } from "../../tools/programFolder.js";
import { run } from "./stage.js";

const imports = `import { createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { z } from "zod";
`;

/** A module with a service. A module is loaded once, and its service is closed then. */
function moduleIn(folder: string, field = "title"): string {
  const file = join(folder, `${randomUUID()}.ts`);
  const schema = `z.object({ id: z.int(), ${field}: z.string(), secret: z.string().optional() })`;
  const access = `{ secret: { read: ({ id }) => id === "ann", onForbidden: "hide" } }`;
  const notes = `defineResource("notes", { schema: ${schema}, generated: { id: "increment" }, access: ${access} })`;
  writeFileSync(
    file,
    `${imports}export const service = createService({ resources: [${notes}], storage: memoryStorage(), logger: false, use: [openapi({ info: { title: "Notes", version: "1.0.0" } })] });\n`,
  );
  return file;
}

describe("restwright openapi", () => {
  test("prints the document, writes it, and compares it with a file", async () => {
    const folder = programFolder();
    const printed = await run(["openapi", moduleIn(folder)]);
    expect([printed.code, printed.stderr]).toEqual([0, ""]);
    expect(JSON.parse(printed.stdout)).toMatchObject({ openapi: "3.1.1", info: { title: "Notes" } });
    const file = join(folder, "openapi.json");
    expect(await run(["openapi", moduleIn(folder), "--out", file])).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(file, "utf8")).toBe(printed.stdout);
    expect(await run(["openapi", moduleIn(folder), "--check", file])).toEqual({ code: 0, stdout: "", stderr: "" });
    const other = await run(["openapi", moduleIn(folder, "heading"), "--check", file]);
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/^The document differs from ".*" from line \d+ on:\n-.*title.*\n\+.*heading.*\nWrite it with --out/);
    writeFileSync(file, `${printed.stdout}more`);
    expect((await run(["openapi", moduleIn(folder), "--check", file])).code).toBe(1);
  });

  test("prints the document as a principal gets it", async () => {
    const folder = programFolder();
    const file = join(folder, "ann.json");
    writeFileSync(file, '{ "id": "ann" }');
    expect((await run(["openapi", moduleIn(folder)])).stdout).not.toContain("secret");
    expect((await run(["openapi", moduleIn(folder), "--as", file])).stdout).toContain('"secret"');
    writeFileSync(file, '{ "name": "ann" }');
    expect(await run(["openapi", moduleIn(folder), "--as", file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not the JSON of a principal"),
    });
  });

  test("says what is wrong", async () => {
    const folder = programFolder();
    const file = join(folder, "api.ts");
    expect((await run(["openapi"])).stderr).toContain('Name one module, a JavaScript file that exports "service".');
    expect((await run(["openapi", file, "--out", "a", "--check", "b"])).stderr).toContain("Name --out or --check, not both.");
    writeFileSync(file, "export const service = {};\n");
    expect((await run(["openapi", file])).stderr).toContain(`The module "${file}" does not export "service"`);
    const bare = join(folder, "bare.ts");
    writeFileSync(bare, `${imports}export const service = createService({ resources: [], storage: memoryStorage(), logger: false });\n`);
    expect((await run(["openapi", bare])).stderr).toContain(`The service of the module "${bare}" has no openapi() in "use".`);
    expect((await run(["openapi", moduleIn(folder), "--api-version", "v9"])).stderr).toContain(
      'The document cannot be made: document: there is no version "v9"',
    );
    expect((await run(["openapi", moduleIn(folder), "--check", join(folder, "missing.json")])).code).toBe(1);
  });
});
