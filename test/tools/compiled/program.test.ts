import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../temporary.js";
import { cacheFolder } from "./compile.js";
import { compiledProgram, folderVariable, makeProgramFolder } from "./program.js";

beforeEach(() => {
  vi.unstubAllEnvs();
});

/** The path of a program from the root of the repository. */
function program(text: string): string {
  const file = join(temporaryFolder(), "with a blank.ts");
  writeFileSync(file, text);
  return relative(join(cacheFolder, "../.."), file);
}

test("everybody who wants a program that cannot be compiled is told why", async () => {
  vi.stubEnv(folderVariable, temporaryFolder());
  const source = program("export const = 1;");
  await expect(compiledProgram(source)).rejects.toThrow(/could not be compiled: .*with a blank\.ts:1:13: ERROR: Expected identifier/s);
  vi.resetModules();
  const other = await import("./program.js");
  await expect(other.compiledProgram(source)).rejects.toThrow("ERROR: Expected identifier");
});

test("who has no folder for programs is told so at once", async () => {
  const folder = temporaryFolder();
  rmSync(folder, { recursive: true });
  vi.stubEnv(folderVariable, folder);
  await expect(compiledProgram(program("export {};"))).rejects.toThrow("ENOENT");
});

test("what killed runs have left goes a day later", () => {
  const cache = temporaryFolder();
  const folders = ["restwright-test-old", "restwright-test-new", "others"].map((name) => join(cache, name));
  for (const folder of folders) mkdirSync(folder);
  const old = new Date(Date.now() - 2 * 86_400_000);
  for (const folder of folders) if (!folder.endsWith("new")) utimesSync(folder, old, old);
  makeProgramFolder(cache);
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true, true]);
});
