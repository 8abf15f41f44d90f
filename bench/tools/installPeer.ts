import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Packages with a compiled part may be compiled, on a machine that does other work. */
const timeoutMs = 900_000;
const run = promisify(execFile);

/** A temporary folder with the packages in it. */
export interface InstalledPeer {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Installs what a comparison needs and nothing else does, and says so; where it cannot be had, says that instead and gives `undefined`.
 *
 * @param packages Each with its version.
 * @param scripts Whether their install scripts run, which download or compile what is not JavaScript.
 */
export async function installPeer(name: string, packages: readonly string[], scripts = false): Promise<InstalledPeer | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "restwright-bench-peer-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  console.log(`Installing ${packages.join(", ")} into a temporary folder.`);
  try {
    await run(
      "npm",
      ["install", "--prefix", folder, "--no-audit", "--no-fund", "--fetch-retries=0", ...(scripts ? [] : ["--ignore-scripts"]), ...packages],
      {
        cwd: folder,
        timeout: timeoutMs,
      },
    );
    return { folder, remove };
  } catch (error) {
    await remove();
    console.log(`${name}: skipped, it could not be installed. ${reasonOf(error)}`);
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
