import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../../src/client", import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

/** What a file loads when it runs: imports that are not types. */
function loadedBy(file: string): string[] {
  const text = readFileSync(join(folder, file), "utf8");
  const imports = [...text.matchAll(/^(?:import|export) (?!type )([^;]*?) from "([^"]+)";/gms)];
  const used = imports.filter(([, names = ""]) => !/^\{(?:\s*type \w+(?: as \w+)?,?)+\s*\}$/.test(names));
  return [...used.map(([, , path = ""]) => path), ...[...text.matchAll(/import\("([^"]+)"\)/g)].map(([, path = ""]) => path)];
}

test("The client loads nothing but its own files", () => {
  const loaded = files.flatMap((file) => loadedBy(file).map((path) => `${file}: ${path}`));
  expect(loaded.length).toBeGreaterThan(20);
  expect(loaded.filter((each) => !/: \.\/(?:types\/|uploads\/)?\w+\.js$/.test(each))).toEqual([]);
});
