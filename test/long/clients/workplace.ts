import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const execute = promisify(execFile);

const maxBuffer = 64 * 1_024 * 1_024;

/** What the newest tools need. Older ones get it as well, as users with one Node have it. */
const nodeMajor = 24;

/** A folder with packages of the registry, and the programs that run there with a Node that all tools take. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), "restwright-clients-"));
  readonly #node: string;
  readonly #running = new Set<ChildProcess>();

  /** @param node path of the program */
  constructor(node: string) {
    this.#node = node;
    this.write("package.json", JSON.stringify({ name: "workplace", private: true, type: "module" }));
  }

  /** @param name may have folders, which are made */
  write(name: string, text: string): void {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** @param packages each with its version */
  async install(packages: readonly string[]): Promise<void> {
    await this.#execute("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", ...packages]);
  }

  /** The version of an installed package. */
  versionOf(name: string): string {
    return (JSON.parse(this.read(`node_modules/${name}/package.json`)) as { readonly version: string }).version;
  }

  /** What a program of a package writes to its standard output. @throws {Error} with all that it wrote when it fails */
  async run(program: string, ...words: readonly string[]): Promise<string> {
    return this.#execute(this.#node, [`node_modules/.bin/${program}`, ...words]);
  }

  /** The same of a program that ends with an error when it finds something: its output either way. */
  async ask(program: string, ...words: readonly string[]): Promise<string> {
    const command = execute(this.#node, [`node_modules/.bin/${program}`, ...words], { cwd: this.folder, env: this.#environment, maxBuffer });
    const { stdout } = await command.catch((error: { readonly stdout: string }) => error);
    return stdout;
  }

  /** The same of a script in the folder. */
  async runScript(script: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    return this.#execute(this.#node, [script], environment);
  }

  /**
   * Starts a server, which ends with the workplace.
   *
   * @param words arguments of Node
   * @param announced the line that says that it listens
   * @returns the first group of `announced`
   */
  async start(words: readonly string[], announced: RegExp, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const child = spawn(this.#node, words, { cwd: this.folder, env: { ...this.#environment, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
    this.#running.add(child);
    const said: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
    const lines = createInterface({ input: child.stdout });
    const listening = new Promise<string>((resolve) => {
      // All lines are read, as a full pipe would stop the program.
      lines.on("line", (line) => {
        said.push(`${line}\n`);
        const found = announced.exec(line);
        if (found !== null) resolve(found[1] ?? "");
      });
    });
    const address = await Promise.race([listening, once(child, "exit")]);
    if (typeof address === "string") return address;
    throw new Error(`"${words.join(" ")}" ended before it listened:\n${said.join("")}`);
  }

  async remove(): Promise<void> {
    for (const child of this.#running) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Tools that start `node` themselves get the same one. */
  get #environment(): NodeJS.ProcessEnv {
    return { ...process.env, PATH: `${dirname(this.#node)}${delimiter}${process.env["PATH"] ?? ""}`, CI: "true", NO_COLOR: "1" };
  }

  async #execute(command: string, words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
    try {
      const env = { ...this.#environment, ...environment };
      const { stdout } = await execute(command, words, { cwd: this.folder, env, maxBuffer, timeout: 600_000 });
      return stdout;
    } catch (cause) {
      const { stdout = "", stderr = "" } = cause as { readonly stdout?: string; readonly stderr?: string };
      throw new Error(`"${[command, ...words].join(" ")}" failed:\n${stdout}\n${stderr}`, { cause });
    }
  }
}

/** A Node that all tools take: this one if it is new enough, else one from the registry, in a workplace of its own. */
export async function findNode(): Promise<{ readonly node: string; remove(): Promise<void> }> {
  const major = Number(process.versions.node.split(".")[0]);
  if (major >= nodeMajor) return { node: process.execPath, remove: async () => {} };
  const workplace = new Workplace(process.execPath);
  await workplace.install([`node@${nodeMajor}`]);
  return { node: join(workplace.folder, "node_modules/node/bin/node"), remove: () => workplace.remove() };
}
