import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

const script = `
const sqlite = process.getBuiltinModule("node:sqlite");
const Database = sqlite?.DatabaseSync ?? require("libsql");
const database = new Database(process.argv[1]);
for (const text of process.argv.slice(2)) database.exec(text);
console.log("done");
process.stdin.once("data", () => process.exit(0));
`;

/** Another process that runs SQL on a file and then holds what it locked. */
export class OtherProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when all the statements ran. */
  static async run(path: string, ...statements: string[]): Promise<OtherProcess> {
    const child = spawn(process.execPath, ["--no-warnings", "-e", script, path, ...statements], { stdio: ["pipe", "pipe", "inherit"] });
    const other = new OtherProcess(child);
    const [ended] = await Promise.race([once(child.stdout, "data").then(() => [false]), once(child, "exit").then(() => [true])]);
    if (ended) throw new Error("The other process could not run its statements.");
    return other;
  }

  /** Ends it, which gives its locks back. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.stdin?.write("end\n");
    await exit;
  }
}
