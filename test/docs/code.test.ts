// @long

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import repository from "../../tsconfig.json" with { type: "json" };

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** What every page takes for known. What a single block takes for known stands above it, in a comment that begins with "given". */
const known = `
import type { Resource, Storage } from "restwright";
declare global {
  const z: typeof import("zod").z;
  const createService: typeof import("restwright").createService;
  const defineResource: typeof import("restwright").defineResource;
  const resources: readonly Resource[];
  const storage: Storage;
  const secret: string;
}
`;

/** Packages that a page names and this repository does not install, and the files of a page that are elsewhere. */
const packages = `
declare module "cors" { export default function cors(options: object): import("express").RequestHandler }
declare module "*/server.js" { export function startServer(storage: import("restwright").Storage, port: number): Promise<{ stop(): Promise<void> }> }
declare module "*/api.js" { export function createApi(of: { storage: import("restwright").Storage; logger: import("restwright").Logger }): object }
declare module "*/storage.js" { export function openStorage(): import("restwright").Storage }
declare module "*/tasks.js" { export const tasks: import("restwright").Resource }
`;

/** Those of this repository, as its sources are compiled with the blocks, but for what not every strict developer sets. */
const options = {
  ...repository.compilerOptions,
  noPropertyAccessFromIndexSignature: false,
  erasableSyntaxOnly: false,
  paths: Object.fromEntries(Object.entries(repository.compilerOptions.paths).map(([name, [file = ""]]) => [name, [join(root, file)]])),
};

/** Its program needs types that a generator makes of the document: test/long/clients.ts makes them, compiles the program and runs it. */
const generated = "docs/clients.md";

interface Block {
  readonly file: string;
  readonly text: string;
}

/** The TypeScript of a page, each block with what is given above it. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  const found = [...text.matchAll(/(?:^<!-- given\n([\s\S]*?)-->\n+)?^```(?:ts|typescript)\n([\s\S]*?)^```/gm)];
  return found.map(([, given = "", code = ""], index) => ({
    file: `${page.replaceAll("/", "-")}-${index + 1}.ts`,
    text: `${given}${code}export {};\n`,
  }));
}

test("every TypeScript block of the docs compiles in strict mode", async () => {
  const pages = ["README.md", ...["docs", "examples"].flatMap((folder) => markdownBelow(folder))];
  const blocks = pages.filter((page) => page !== generated).flatMap(blocksOf);
  expect(blocks.length).toBeGreaterThan(40);
  const folder = temporaryFolder();
  const files = [{ file: "known.ts", text: known }, { file: "packages.d.ts", text: packages }, ...blocks];
  for (const { file, text } of files) writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: files.map(({ file }) => file) }));
  expect(await complaints(folder)).toBe("");
});

function markdownBelow(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md") && !/node_modules|^site\//.test(name)).map((name) => join(folder, name));
}

/** Within the repository, so that packages are found. */
function temporaryFolder(): string {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "restwright-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function complaints(folder: string): Promise<string> {
  try {
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", "-p", "."], { cwd: folder });
    return "";
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    if (stdout === undefined || stdout === "") throw error;
    return stdout;
  }
}
