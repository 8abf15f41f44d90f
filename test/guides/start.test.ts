// @long

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Logger, Service, Storage } from "restwright";
import { sqliteStorage } from "restwright/sqlite";
import { expect, test } from "vitest";
import { projectFiles } from "../../adapters/cli/init/projectFiles.js";
import { programFolder } from "../tools/programFolder.js";
import { patched } from "./patched.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(new URL("../../docs/guides/start.md", import.meta.url), "utf8");

/** The blocks of the guide, each with the file that the text above it names last. */
const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(({ 1: language = "", 2: text = "", index }) => {
  const named = [...guide.slice(0, index).matchAll(/`((?:src|test)\/[\w.]+\.ts)`(?: names them)?:$/gm)];
  return { language, text, file: named.at(-1)?.[1] ?? "" };
});

const files = new Map(
  projectFiles({
    host: "express",
    store: "sqlite",
    language: "typescript",
    name: "my-api",
    restwright: "^1.0.0",
    nodeVersion: process.versions.node,
  }).map(({ path, text }) => [path, text]),
);

const logger: Logger = { error() {}, warn() {}, info() {}, debug() {} };

/** Writes the project as it is now into a folder of its own, since a module is loaded once. */
function writeStage(folder: string): string {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function serve(folder: string, storage: Storage): Promise<Service> {
  const { createApi } = (await import(pathToFileURL(join(folder, "src/api.ts")).href)) as {
    createApi(options: { readonly storage: Storage; readonly logger: Logger }): Service;
  };
  return createApi({ storage, logger });
}

/** The status of the answer to a line with curl, and the one that the line expects. */
async function statusesOf(line: string, service: Service): Promise<readonly [string, number, number]> {
  const [, target = "", rest = "", expected = ""] = /^curl -ig? (?:-X DELETE )?'?localhost:3000\/v1([^' ]+)'?(.*?)\s+# (\d{3})$/.exec(line) ?? [];
  if (expected === "") throw new Error(`This is no request: ${line}`);
  const [, body] = / -d '([^']+)'/.exec(rest) ?? [];
  const [, method = body === undefined ? "GET" : "POST"] = /-X (\w+)/.exec(line) ?? [];
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await service.fetch(new Request(`http://guide.test${target}`, { method, headers, body: body ?? null }));
  return [line, answer.status, Number(expected)];
}

test("The guide from nothing can be followed change by change, and its last state compiles and passes its test", async () => {
  const folder = programFolder();
  const requests: (readonly [string, number, number])[] = [];
  for (const [index, { language, text, file }] of blocks.entries()) {
    if (language === "ts") files.set(file, text);
    else if (language === "diff") files.set(file, patched(files.get(file) ?? "", text));
    else if (text.startsWith("curl ")) {
      const service = await serve(writeStage(join(folder, `stage-${index}`)), sqliteStorage({ path: join(folder, "data.db") }));
      for (const line of text.trimEnd().split("\n")) requests.push(await statusesOf(line, service));
      await service.close();
    }
  }
  expect(requests.map(([line, status]) => [line, status])).toEqual(requests.map(([line, , expected]) => [line, expected]));
  expect(requests.length).toBeGreaterThan(15);

  const last = writeStage(join(folder, "last"));
  const options = { noPropertyAccessFromIndexSignature: false };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: "../../tsconfig.json", compilerOptions: options, include: ["last"] }));
  await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", folder], { cwd: root });
  const { stdout } = await run(process.execPath, ["--import", "tsx", "--test", join(last, "test/tasks.test.ts")], { cwd: root });
  expect(stdout).toMatch(/pass 3\n[\s\S]*fail 0\n/);
});
