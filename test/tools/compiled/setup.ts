import { rmSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { folderVariable, makeProgramFolder } from "./program.js";

/** Gives all processes of a run one folder for programs, and each run in watch mode another: what was compiled before is stale. */
export function setup(project: TestProject): () => void {
  const folders = [renew()];
  project.onTestsRerun(() => void folders.push(renew()));
  return () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
}

function renew(): string {
  const folder = makeProgramFolder();
  process.env[folderVariable] = folder;
  return folder;
}
