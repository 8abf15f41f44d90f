import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Consumer } from "./consumer.js";
import { typeProgram, typeService } from "./typeProgram.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const collections = 50;

/** What the compiler may need for the calls of so many collections: what was measured and 5 %; docs/client.md has the figure. */
const maxInstantiations = 118_000;

/** The declaration file that the command makes of a module, which is run from the sources. */
async function declarationOf(module: string, ...options: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", "adapters/cli.ts", "client", module, ...options], { cwd: root });
  return stdout;
}

/** The programs of the type tests, with the declaration file in place of the service. */
function typeTests(): string {
  const program = readFileSync(new URL("../types/client.test-d.ts", import.meta.url), "utf8");
  const data = / {2}if \(event\.type === "order\.created"\)\n.*\n/;
  expect(program).toMatch(data);
  return program
    .replace(
      'import { expectTypeOf, test } from "vitest";',
      'import { expectTypeOf } from "expect-type";\ndeclare const test: (name: string, run: () => unknown) => void;',
    )
    .replace(
      data,
      "  // The document does not say what the data of events are.\n  expectTypeOf(event.data).toEqualTypeOf<Readonly<Record<string, unknown>>>();\n",
    );
}

const clientShop = `import { createClient } from "restwright/client";
import type { Api } from "./api.js";
import type { Api as PlainApi } from "./plain.js";
export type { Api, PlainApi };
export const open = () => createClient<Api>({ baseUrl: "http://a", reads: { orders: ["statistics"] } });
`;

describe.each(["5.4", "5.9", "7.0"])("A declaration file on TypeScript %s, without zod and the packages of servers", (version) => {
  const consumer = new Consumer("module");
  const folder = mkdtempSync(`${root}test/program-declaration-`);
  beforeAll(async () => {
    writeFileSync(`${folder}/admin.json`, '{ "id": "ann", "claims": { "role": "admin" } }');
    writeFileSync(`${folder}/large.ts`, typeService(collections));
    const api = await declarationOf("test/types/clientService.ts", "--as", `${folder}/admin.json`);
    const large = await declarationOf(`${folder}/large.ts`, "--as", `${folder}/admin.json`);
    expect(api).not.toMatch(/\bimport\b/);
    consumer.write("api.d.ts", api);
    consumer.write("plain.d.ts", api.replace("readonly [Users, Orders, Tags, Lines]", "readonly [Users, Tags]"));
    consumer.write("clientShop.ts", clientShop);
    consumer.write("client.ts", typeTests());
    consumer.write("large.ts", typeProgram(collections, "declaration").replace("./api.js", "./largeApi.js"));
    consumer.write("largeApi.d.ts", large);
    await consumer.install([inject("tarball"), "expect-type", "@types/node", `typescript@~${version}.0`, "--legacy-peer-deps"]);
  });
  afterAll(() => {
    consumer.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const compile = (file: string) =>
    consumer.run(process.execPath, [
      "node_modules/typescript/bin/tsc",
      ...["--noEmit", "--strict", "--skipLibCheck", "--exactOptionalPropertyTypes", "--extendedDiagnostics"],
      ...["--target", "es2022", "--types", "node", "--module", "nodenext"],
      file,
    ]);

  test("compiles the programs of the type tests, and refuses their wrong calls", async () => {
    await expect(consumer.run(process.execPath, ["-e", 'import("zod")'])).rejects.toThrow("ERR_MODULE_NOT_FOUND");
    expect(await compile("client.ts")).toContain("Instantiations");
  });

  test(`compiles calls of ${collections} collections within its limit`, async () => {
    const instantiations = Number(/Instantiations:\s+(\d+)/.exec(await compile("large.ts"))?.[1]);
    process.stdout.write(`TypeScript ${version}, declaration, ${collections} collections: ${instantiations} instantiations\n`);
    expect(instantiations).toBeGreaterThan(0);
    if (version === "5.9") expect(instantiations).toBeLessThanOrEqual(maxInstantiations);
  });

  test("is correct itself", async () => {
    consumer.write(
      "check.ts",
      "import type { Api } from './api.js';\nimport type { Api as Large } from './largeApi.js';\nexport type Both = [Api, Large];\n",
    );
    const target = ["--target", "es2022", "--types", "node", "--module", "nodenext"];
    expect(await consumer.run(process.execPath, ["node_modules/typescript/bin/tsc", "--noEmit", "--strict", ...target, "check.ts"])).toBe("");
  });
});
