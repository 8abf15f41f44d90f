// @long

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The row of a new operator, and what each table lacks that the compiler then names. */
const row = ["src/language/query/conditions/operator.ts", "  exists: {", '  starts: { on: ["text"], takes: "pattern" },'] as const;
const tables = [
  [
    "src/language/query/conditions/condition.ts",
    "  exists: presence,",
    '  starts: (target, parts) => likeness(target, [...parts, { any: "many" }]),',
  ],
  [
    "src/capabilities/webhooks/events/filterCondition.ts",
    "  exists: (value)",
    '  starts: (value) => (typeof value === "string" ? compilePattern(`${value}*`) : "a text"),',
  ],
  ["src/client/query.ts", "exists: 0", "starts: 0, "],
] as const;

const program = `
import { z } from "zod";
import { memoryStorage } from "./adapters/memory.ts";
import { createClient } from "./src/client/index.ts";
import { createService, defineResource } from "./src/index.ts";
import { openapi } from "./src/capabilities/openapi/index.ts";
import { searches } from "./src/capabilities/searches/index.ts";
import { compileEventFilter } from "./src/capabilities/webhooks/index.ts";

const cities = defineResource("cities", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const service = createService({ resources: [cities], storage: memoryStorage(), use: [searches(), openapi({ info: { title: "Cities", version: "1" } })] });
const calls = service.asSystem();
const client = createClient<typeof service>({ baseUrl: "http://localhost", fetch: async (request) => service.fetch(request) });
for (const name of ["Bonn", "Bern", "Rome"]) await calls.cities.create({ name });

const names = ({ data }: { readonly data: readonly { readonly name: string }[] }) => data.map(({ name }) => name);
const where = { name: { starts: "bo" } } as const;
const document = await (await service.fetch(new Request("http://localhost/openapi.json"))).text();
console.log(JSON.stringify({
  code: names(await calls.cities.list({ where })),
  query: names(await client.cities.list({ where })),
  body: names(await client.cities.list({ where: { or: [where, { name: "Oslo" }] } })),
  event: ["Bonn", "Rome"].filter((name) => compileEventFilter(where)({ name })),
  document: document.includes('"starts":{"type":"string","minLength":1}'),
}));
`;

describe("an operator that is added to the table", () => {
  const folder = mkdtempSync(join(tmpdir(), "restwright-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeAll(() => {
    for (const name of ["src", "adapters"]) cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
    const config = { compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true }, exclude: ["src/capabilities/docs/browser"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    insert(...row);
  });

  function insert(file: string, before: string, text: string): void {
    const path = join(folder, file);
    const source = readFileSync(path, "utf8");
    expect(source.split(before)).toHaveLength(2);
    writeFileSync(path, source.replace(before, `${text}${before}`));
  }

  function run(...args: string[]): string {
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    return stdout + stderr;
  }

  const compile = () => run(join(root, "node_modules/typescript/bin/tsc"));

  test("is missed by the compiler in each other table, and nowhere else", () => {
    const places = new Set([...compile().matchAll(/^(\S+\.ts)[(:]/gm)].map(([, file]) => file));
    expect(places).toEqual(new Set(tables.map(([file]) => file)));
  });

  test("is known to queries, code, the client, the document and webhooks after a line in each of them", () => {
    for (const [file, before, text] of tables) insert(file, before, text);
    writeFileSync(join(folder, "program.ts"), program);
    expect(compile()).toBe("");
    const found = { code: ["Bonn"], query: ["Bonn"], body: ["Bonn"], event: ["Bonn"], document: true };
    expect(JSON.parse(run("--import", "tsx", "program.ts"))).toEqual(found);
  });
});
