import { mkdtempSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A folder for a program in TypeScript, until the test has finished: within the repository, so that packages and the paths of its sources are found. */
export function programFolder(): string {
  const folder = mkdtempSync(fileURLToPath(new URL("../program-", import.meta.url)));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
