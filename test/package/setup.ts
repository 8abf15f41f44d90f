import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { pack } from "./consumer.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of the package as users download it. */
    readonly tarball: string;
  }
}

/** Packs once for all tests. */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "restwright-tarball-"));
  project.provide("tarball", await pack(folder));
  return () => rmSync(folder, { recursive: true, force: true });
}
