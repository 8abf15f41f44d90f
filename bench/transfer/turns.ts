import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** What one turn took. */
export interface Turn {
  readonly rows: number;
  /** Of the process, all of its threads. */
  readonly cpuMicroseconds: number;
  readonly microseconds: number;
}

/** Makes what a turn needs, unmeasured. @returns the work, which says how many rows it has moved */
export type Prepare = (round: number) => Promise<() => Promise<number>>;

/** Answers each round with a turn, until the measuring process hangs up. */
export async function takeTurns(prepare: Prepare): Promise<void> {
  const ended = once(process, "disconnect");
  process.on("message", (round: number) => void measure(prepare, round).then((turn) => process.send?.(turn)));
  process.send?.("ready");
  await ended;
}

async function measure(prepare: Prepare, round: number): Promise<Turn> {
  const run = await prepare(round);
  const begunMs = performance.now();
  const before = process.cpuUsage();
  const rows = await run();
  const { user, system } = process.cpuUsage(before);
  return { rows, cpuMicroseconds: user + system, microseconds: (performance.now() - begunMs) * 1_000 };
}

/** A transfer in a process of its own: in a shared one each would pay for the garbage of the others, and for code that the compiler has made for their rows. */
export class TransferProcess {
  readonly name: string;
  readonly #child: ChildProcess;

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
  }

  /** Resolves when it waits for its first turn. @throws {Error} if it ends before */
  static async start(program: string, name: string, options: readonly string[], nodeOptions: readonly string[]): Promise<TransferProcess> {
    const child = fork(program, options, { execArgv: [...nodeOptions] });
    await nextMessage(child, name);
    return new TransferProcess(name, child);
  }

  /** @throws {Error} if the process ends */
  async turn(round: number): Promise<Turn> {
    this.#child.send(round);
    return (await nextMessage(this.#child, this.name)) as Turn;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }
}

function nextMessage(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`The process of "${name}" ended with code ${code}.`));
    child.once("exit", onExit);
    child.once("message", (message) => {
      child.off("exit", onExit);
      resolve(message);
    });
  });
}
