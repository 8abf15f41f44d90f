import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A middleware for Express that keeps answers by their keys. It is no dependency: nothing but this benchmark needs it. */
export const peerName = "express-idempotency";

const peer = `${peerName}@1.0.6`;
const timeoutMs = 120_000;
const run = promisify(execFile);

/** A temporary folder with the package in it. */
export interface InstalledPeer {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Installs the package and says so; where it cannot be had, says that instead and gives `undefined`. */
export async function installPeer(): Promise<InstalledPeer | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "restwright-bench-peer-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  console.log(`Installing ${peer} into a temporary folder.`);
  try {
    await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0", peer], {
      cwd: folder,
      timeout: timeoutMs,
    });
    return { folder, remove };
  } catch (error) {
    await remove();
    console.log(`${peer}: skipped, it could not be installed. ${reasonOf(error)}`);
    return undefined;
  }
}

const errorCode = /^npm error (?:code|syscall|errno) /;

/** npm writes warnings about other things first, then codes, then what is wrong. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error && "stderr" in error && error.stderr !== "" ? String(error.stderr) : String(error);
  const lines = text.split("\n");
  return (lines.find((line) => line.startsWith("npm error ") && !errorCode.test(line)) ?? lines[0] ?? "").trim();
}
