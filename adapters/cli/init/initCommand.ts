import { join, resolve } from "node:path";
import { UsageError } from "../commandError.js";
import { initHelp } from "../help.js";
import type { Terminal } from "../terminal/terminal.js";
import { type Answers, askChoices, defaults } from "./askChoices.js";
import { type InitOptions, parseInitOptions } from "./initOptions.js";
import { packageNameOf } from "./packageName.js";
import { packageSource } from "./packageSource.js";
import { projectFiles } from "./projectFiles.js";
import { requireEmpty, writeProject } from "./writeProject.js";

/**
 * `restwright init`: writes a project with one collection and its test.
 *
 * @returns the exit code
 * @throws {CommandError}
 */
export async function initCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseInitOptions(args);
  if (options.help) {
    terminal.stdout.write(initHelp);
    return 0;
  }
  if (options.folder !== undefined) await requireEmpty(options.folder);
  const { folder, ...choices } = await choicesOf(options, terminal);
  await requireEmpty(folder);
  const name = options.name ?? packageNameOf(resolve(folder));
  const restwright = packageSource({ folder: terminal.packageFolder, version: terminal.version });
  const files = projectFiles({ ...choices, name, restwright, nodeVersion: process.versions.node });
  await writeProject(folder, files);
  terminal.stdout.write(written(folder, files.length, restwright, terminal.variables));
  return 0;
}

function choicesOf(options: InitOptions, terminal: Terminal): Promise<Answers> | Answers {
  if (!options.yes && terminal.stderr.isTTY === true && isTerminal(terminal.stdin)) return askChoices(options, terminal);
  if (options.folder === undefined) throw new UsageError("Name a folder for the project, such as my-api.");
  const { host = defaults.host, store = defaults.store, language = defaults.language } = options;
  return { folder: options.folder, host, store, language };
}

function isTerminal(stream: Terminal["stdin"]): boolean {
  return "isTTY" in stream && stream.isTTY === true;
}

/** What was written, and the commands that come next. */
function written(folder: string, count: number, restwright: string, variables: Terminal["variables"]): string {
  // Set by npm, and by others that run packages: "pnpm/10.0.0 npm/? node/v22.13.0 linux x64".
  const [, manager = "npm"] = /^(pnpm|yarn|bun)\//.exec(variables["npm_config_user_agent"] ?? "") ?? [];
  const isHere = resolve(folder) === resolve(".");
  const steps = [...(isHere ? [] : [`cd ${quoted(folder.replace(/^-/, "./-"))}`]), `${manager} install`, `${manager} run dev`];
  const source = restwright.startsWith("file:") ? `It installs restwright from ${restwright.slice("file:".length)}.\n` : "";
  return `Wrote ${count} files to ${isHere ? "this folder" : join(folder)}. To start the API:\n\n${steps.map((step) => `  ${step}\n`).join("")}\n${source}README.md there says what comes next.\n`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
