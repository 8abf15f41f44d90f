// @slow

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { replaceFiles, restoreFiles } from "../../docs/site/package/replacedFiles.js";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const texts = new Map([
  ["README.md", "packed"],
  ["docs/a.md", "packed a"],
]);
let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "restwright-replaced-"));
  const folder = root;
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(root, "docs"));
  writeFileSync(join(root, "README.md"), "original");
  writeFileSync(join(root, "docs/a.md"), "original a");
});

/** A process that runs until the test ends. */
function otherProcess(): ChildProcess {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000)"]);
  onTestFinished(() => void child.kill());
  return child;
}

function numberOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("The process has not started.");
  return pid;
}

test("replaced files come back with their texts and times", () => {
  const { mtimeMs } = statSync(join(root, "docs/a.md"));
  replaceFiles(root, texts, process.pid);
  expect([read("README.md"), read("docs/a.md")]).toEqual(["packed", "packed a"]);
  restoreFiles(root, process.pid);
  expect([read("README.md"), read("docs/a.md")]).toEqual(["original", "original a"]);
  expect(statSync(join(root, "docs/a.md")).mtimeMs).toBe(mtimeMs);
  expect(existsSync(join(root, ".packing"))).toBe(false);
});

test("no file stays replaced if one cannot be", () => {
  expect(() => replaceFiles(root, new Map([...texts, ["docs/none.md", ""]]), process.pid)).toThrow("ENOENT");
  expect([read("README.md"), read("docs/a.md")]).toEqual(["original", "original a"]);
});

test("files are not replaced while another process packs, but after it was killed", async () => {
  const other = otherProcess();
  replaceFiles(root, texts, numberOf(other));
  expect(() => replaceFiles(root, texts, process.pid)).toThrow(`Process ${other.pid} is packing this folder`);
  const ended = once(other, "exit");
  other.kill("SIGKILL");
  await ended;
  replaceFiles(root, new Map([["README.md", "packed again"]]), process.pid);
  expect([read("README.md"), read("docs/a.md")]).toEqual(["packed again", "original a"]);
});

test("no file stays replaced if the process that packs has ended meanwhile", async () => {
  const other = otherProcess();
  const ended = once(other, "exit");
  other.kill("SIGKILL");
  await ended;
  expect(() => replaceFiles(root, texts, numberOf(other))).toThrow(`Process ${other.pid}, which packs this folder, has ended.`);
  expect([read("README.md"), read("docs/a.md")]).toEqual(["original", "original a"]);
});

test("the files of one process are not restored for another", () => {
  replaceFiles(root, texts, process.pid);
  restoreFiles(root, process.pid + 1);
  expect(read("README.md")).toBe("packed");
});

test("an edit of a replaced file is not overwritten; the message tells where the original is", () => {
  replaceFiles(root, texts, process.pid);
  writeFileSync(join(root, "README.md"), "edited");
  expect(() => restoreFiles(root)).toThrow("Edited while npm packed: README.md. The originals are in .packing/originals");
  expect([read("README.md"), read("docs/a.md"), read(".packing/originals/README.md")]).toEqual(["edited", "original a", "original"]);
});
