import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import manifest from "../../package.json" with { type: "json" };
import { readLine } from "./quickStart.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Versions that this repository itself is tested with. */
const versions: Readonly<Record<string, string>> = manifest.devDependencies;

/**
 * Tests that `npx --package … --call …` starts pass both options on in the environment, where an `npx` of the consumer's own
 * takes them for its own.
 */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== "npm_config_package" && name !== "npm_config_call"));

/** A project of somebody else, in a folder of its own outside the repository. */
export class Consumer {
  readonly folder = mkdtempSync(join(tmpdir(), "restwright-consumer-"));

  constructor(type: "module" | "commonjs") {
    this.write("package.json", JSON.stringify({ name: "consumer", private: true, type }));
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** @param packages Names, with `@` and a version or without, or paths of tarballs. */
  async install(packages: readonly string[]): Promise<void> {
    const wanted = packages.map((name) => (versions[name] === undefined ? name : `${name}@${versions[name]}`));
    await this.run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...wanted]);
  }

  /** What the command writes to its standard output. @throws {Error} with all that it wrote when it fails */
  async run(command: string, commandArguments: readonly string[]): Promise<string> {
    return output(command, commandArguments, this.folder);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Packs the package by the line of the README, which builds it. Returns the path of the tarball in `folder`. */
export async function pack(folder: string): Promise<string> {
  const [command = "", ...words] = readLine("package").split(" ");
  const listing = await output(command, [...words, "--pack-destination", folder], root);
  const name = listing.split("\n").findLast((line) => line.endsWith(".tgz"));
  if (name === undefined) throw new Error(`npm pack made no tarball; it said: ${listing}`);
  return join(folder, name);
}

async function output(command: string, commandArguments: readonly string[], folder: string): Promise<string> {
  try {
    const { stdout } = await run(command, commandArguments, { cwd: folder, env: environment, maxBuffer: 16 * 1_024 * 1_024 });
    return stdout;
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`"${[command, ...commandArguments].join(" ")}" failed:\n${stdout}\n${stderr}`, { cause });
  }
}
