import { fork } from "node:child_process";
import { once } from "node:events";
import { buildPrograms } from "./build.js";

/**
 * Compiles a program and runs it in a process of its own, which prints where this one does.
 *
 * @param source Path from the root of the repository.
 * @throws {Error} where it ends with a code
 */
export async function runProgram(name: string, source: string, options: readonly string[]): Promise<void> {
  const { main } = await buildPrograms(name, { main: source });
  const [code] = await once(fork(main, options, { execArgv: ["--expose-gc"] }), "exit");
  if (code !== 0) throw new Error(`${source} ended with code ${code}.`);
}
