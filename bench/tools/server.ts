import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Usage } from "./usage.js";

/** A server in a process of its own. */
export class Server {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /**
   * Resolves when it listens.
   *
   * @param nodeOptions For Node itself.
   * @throws {Error} where it ends before
   */
  static async start(program: string, options: readonly string[], nodeOptions: readonly string[] = []): Promise<Server> {
    const child = fork(program, options, { execArgv: ["--expose-gc", ...nodeOptions] });
    const usage = await nextUsage(child);
    if (!("port" in usage)) throw new Error(`${program} did not tell its port.`);
    return new Server(child, usage.port);
  }

  /** @throws {Error} where it has none */
  get processId(): number {
    if (this.#child.pid === undefined) throw new Error("The server has no process.");
    return this.#child.pid;
  }

  /** CPU time of the process since it began, user and system together. */
  async cpuMicroseconds(): Promise<number> {
    const usage = await this.#ask("cpu");
    if (!("cpuMicroseconds" in usage)) throw new Error("The server did not tell its CPU time.");
    return usage.cpuMicroseconds;
  }

  /** Resident memory after a garbage collection. */
  async rssBytes(): Promise<number> {
    const usage = await this.#ask("memory");
    if (!("rssBytes" in usage)) throw new Error("The server did not tell its memory.");
    return usage.rssBytes;
  }

  /** One that has ended by itself is left alone. */
  async stop(): Promise<void> {
    if (!this.#child.connected) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }

  #ask(question: "cpu" | "memory"): Promise<Usage> {
    this.#child.send(question);
    return nextUsage(this.#child);
  }
}

function nextUsage(child: ChildProcess): Promise<Usage> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`A server ended with code ${code}.`));
    child.once("exit", onExit);
    child.once("message", (usage: Usage) => {
      child.off("exit", onExit);
      resolve(usage);
    });
  });
}
