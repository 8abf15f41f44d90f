import { fork } from "node:child_process";
import { once } from "node:events";
import type { Heat } from "../tools/raceReport.js";

/**
 * Microseconds of CPU time that `executeBatch` takes for an item that does nothing, in a process of its own.
 *
 * @param program Path of the compiled `executorMain.ts`.
 */
export async function measureExecutor(program: string, rounds: number): Promise<Heat> {
  const [figures] = await once(fork(program, [String(rounds)]), "message");
  const comparisons = [{ one: "executeBatch best-effort", other: "a loop that awaits" }];
  return { title: "executeBatch, 100,000 items that do nothing", figures: new Map(figures), comparisons };
}
