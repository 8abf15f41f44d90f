import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { compiledProgram } from "../../tools/compiled/program.js";

/** Processes that serve one storage, to be killed and started again. */
export interface KilledWorkers {
  readonly origins: readonly string[];
  /** Kills one after the other with SIGKILL, and starts each again. */
  killInTurn(kills: number, aliveMs: (kill: number) => number): Promise<void>;
  /** Stops one for a while, as a machine does that is short of everything, and lets it go on as if nothing had been. */
  pause(worker: number, ms: number): Promise<void>;
  end(): void;
}

/** A process that serves. After a kill another one stands in its place. */
export interface Worker {
  process: ChildProcess;
  origin: string;
}

/** @param program beside this file; prints the port that it listens at */
export async function startWorkers(program: string, count: number, environment: Readonly<Record<string, string>>): Promise<KilledWorkers> {
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(program, environment)));
  return {
    get origins() {
      return workers.map(({ origin }) => origin);
    },
    async killInTurn(kills, aliveMs) {
      for (let kill = 0; kill < kills; kill++) {
        await sleep(aliveMs(kill));
        await killAndRestart(program, workers[kill % workers.length], environment);
      }
    },
    async pause(index, ms) {
      const worker = workers[index];
      worker?.process.kill("SIGSTOP");
      await sleep(ms);
      worker?.process.kill("SIGCONT");
    },
    end() {
      for (const { process } of workers) process.kill("SIGKILL");
    },
  };
}

/** Kills it with SIGKILL, and starts another in its place. */
export async function killAndRestart(program: string, worker: Worker | undefined, environment: Readonly<Record<string, string>>): Promise<void> {
  if (worker === undefined) return;
  worker.process.kill("SIGKILL");
  await once(worker.process, "exit");
  Object.assign(worker, await startWorker(program, environment));
}

/** @param program beside this file; prints the port that it listens at */
export async function startWorker(program: string, environment: Readonly<Record<string, string>>): Promise<Worker> {
  const child = spawn(process.execPath, [await compiledProgram(`test/e2e/kills/workers/${program}`)], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout);
  const [port] = (await Promise.race([once(lines, "line"), once(child, "exit")])) as [unknown];
  if (typeof port !== "string") throw new Error("A worker ended before it listened.");
  return { process: child, origin: `http://127.0.0.1:${port}` };
}
