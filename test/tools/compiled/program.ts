import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cacheFolder, compile } from "./compile.js";

/** Where the processes of one run find what one of them has compiled. */
export const folderVariable = "RESTWRIGHT_TEST_PROGRAMS";

const pollMs = 25;
const mostPolls = 2_400;
const prefix = "restwright-test-";
/** No run takes that long. */
const leftoverMs = 86_400_000;
const compiled = new Map<string, Promise<string>>();
let ownFolder: string | undefined;

/**
 * A program that is started over and over, as plain JavaScript: each start by tsx takes a second of processor time. It is compiled once a run, by whoever needs it first.
 *
 * @param source path from the root of the repository; what it reads beside itself by `import.meta.url` is not beside it any more
 * @returns path of the compiled file
 */
export function compiledProgram(source: string): Promise<string> {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const compiling = compileOnce(source);
  compiled.set(source, compiling);
  return compiling;
}

/** A new folder for programs. Those of runs that were killed, which could not remove them, go. */
export function makeProgramFolder(cache = cacheFolder): string {
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    if (name.startsWith(prefix) && isLeftover(folder)) rmSync(folder, { recursive: true, force: true });
  }
  return mkdtempSync(join(cache, prefix));
}

function isLeftover(folder: string): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat !== undefined && stat.mtimeMs < Date.now() - leftoverMs;
}

async function compileOnce(source: string): Promise<string> {
  const name = basename(source, ".ts");
  const folder = join(process.env[folderVariable] ?? folderOfProcess(), source.replaceAll(/[^A-Za-z0-9]/g, "-"));
  const verdict = `${folder}.verdict`;
  if (await isOurs(folder)) await tell(verdict, compile(folder, { [name]: source }));
  const said = await heard(verdict);
  if (said !== "") throw new Error(`${source} could not be compiled: ${said}`);
  return join(folder, `${name}.js`);
}

/** Whether this process is the first that wants it. */
async function isOurs(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function tell(verdict: string, work: Promise<unknown>): Promise<void> {
  const fault = await work.then(
    () => "",
    (error: unknown) => String(error),
  );
  await writeFile(`${verdict}.new`, fault);
  await rename(`${verdict}.new`, verdict);
}

async function heard(verdict: string): Promise<string> {
  for (let polls = 0; polls < mostPolls; polls++) {
    const said = await readFile(verdict, "utf8").catch(() => undefined);
    if (said !== undefined) return said;
    await sleep(pollMs);
  }
  return "another process has not done so in a minute.";
}

/** For scripts that no runner has given a folder. */
function folderOfProcess(): string {
  if (ownFolder === undefined) {
    const folder = makeProgramFolder();
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    ownFolder = folder;
  }
  return ownFolder;
}
