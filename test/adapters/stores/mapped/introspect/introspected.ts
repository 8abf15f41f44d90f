import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createService, type Resource, type Storage } from "restwright";
import { fetchHandler } from "restwright/fetch";
import { expect, onTestFinished } from "vitest";
import repository from "../../../../../tsconfig.json" with { type: "json" };

const root = fileURLToPath(new URL("../../../../..", import.meta.url));

/** Within the repository, so that packages are found. */
function temporaryFolder(): string {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "restwright-introspect-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The collections that a printed program defines. */
export async function resourcesOf(program: string): Promise<readonly Resource[]> {
  const file = join(temporaryFolder(), "resources.ts");
  writeFileSync(file, program);
  return ((await import(/* @vite-ignore */ file)) as { readonly resources: readonly Resource[] }).resources;
}

const options = {
  ...repository.compilerOptions,
  paths: Object.fromEntries(Object.entries(repository.compilerOptions.paths).map(([name, [file = ""]]) => [name, [join(root, file)]])),
};

/** Fails with what the compiler says of programs in strict mode. */
export async function expectCompiles(programs: ReadonlyMap<string, string>): Promise<void> {
  const folder = temporaryFolder();
  const files = [...programs.keys()].map((name) => `${name}.ts`);
  for (const [name, program] of programs) writeFileSync(join(folder, `${name}.ts`), program);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files }));
  expect(await complaints(folder)).toBe("");
}

async function complaints(folder: string): Promise<string> {
  try {
    await promisify(execFile)(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", "-p", "."], { cwd: folder });
    return "";
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

/** A program as a formatter leaves it. */
export function formatted(program: string): string {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  const args = [biome, "format", "--stdin-file-path=resources.ts", "--indent-style=space", "--line-width=100"];
  return execFileSync(process.execPath, args, { cwd: root, input: program, encoding: "utf8" });
}

/** Starts a service over described tables, until the test has finished. @returns sends requests to it */
export async function serve(storage: Storage, resources: readonly Resource[]): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const service = createService({ resources, storage, logger: false });
  onTestFinished(async () => {
    await service.close({ graceMs: 0 });
    await storage.close?.();
  });
  await service.start();
  const handle = fetchHandler(service);
  return async (path, init) => (await handle(new Request(`http://localhost${path}`, init))) ?? new Response(null, { status: 599 });
}

/** The path of a row, by the field or the fields of its id. */
export function pathOf({ name, idNames }: Resource, row: Readonly<Record<string, unknown>>): string {
  return `/${name}/${idNames.map((part) => encodeURIComponent(String(row[part]))).join(",")}`;
}
