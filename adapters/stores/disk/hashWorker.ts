import { Worker } from "node:worker_threads";

/** How long the thread waits for more work before it ends. The hashes that it holds are then computed again from the beginning of their files. */
const idleMs = 60_000;
/** After the thread has died, callers read the files by themselves for so long. */
const brokenMs = 60_000;
/** Bytes in one step: uploads take turns. */
const stepBytes = 16_777_216;

interface Step {
  readonly file: string;
  /** The hash covers the bytes before this offset. */
  readonly size: number;
  /** Whether the digest is wanted, after which the hash is forgotten. */
  readonly isLast: boolean;
}

interface Outcome {
  readonly position: number;
  readonly digest?: string;
}

interface Waiting {
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

/**
 * SHA-256 of files that grow, computed in a thread behind their writers. One thread serves the process. It starts with the first file, keeps the process alive only
 * while a hash is computed, and ends when it is idle.
 */
export class HashWorker {
  #worker: Worker | undefined;
  /** In the order of the steps: the thread answers one after the other. */
  #waiting: Waiting[] = [];
  #idle: NodeJS.Timeout | undefined;
  #brokenUntilMs = Number.NEGATIVE_INFINITY;
  /** The files that are being followed, and how far they have grown. */
  readonly #growing = new Map<string, number>();
  readonly #following = new Map<string, Promise<void>>();
  readonly #program: string;

  /** @param code what the thread runs */
  constructor(code = program) {
    this.#program = code;
  }

  /** Hashes a file as far as `size`, later. Its bytes before that must not change any more. Never rejects. */
  follow(file: string, size: number): Promise<void> {
    this.#growing.set(file, Math.max(size, this.#growing.get(file) ?? 0));
    const running = this.#following.get(file) ?? this.#followAll(file).finally(() => this.#following.delete(file));
    this.#following.set(file, running);
    return running;
  }

  /** In lower-case hex. `undefined` if the thread cannot compute it: the file is missing, or the thread has died. */
  async digest(file: string, size: number): Promise<string | undefined> {
    try {
      await this.#following.get(file);
      for (;;) {
        const { digest } = await this.#advance({ file, size, isLast: true });
        if (digest !== undefined) return digest;
      }
    } catch {
      return undefined;
    }
  }

  async #followAll(file: string): Promise<void> {
    try {
      for (let position = 0; ; ) {
        const size = this.#growing.get(file) ?? 0;
        if (position >= size) break;
        ({ position } = await this.#advance({ file, size, isLast: false }));
      }
    } catch {
      // The digest is computed from the beginning, or by the caller.
    } finally {
      this.#growing.delete(file);
    }
  }

  #advance(step: Step): Promise<Outcome> {
    const worker = this.#open();
    clearTimeout(this.#idle);
    // An upload may wait for the answer, and have nothing else that keeps its process alive.
    worker.ref();
    return new Promise<Outcome>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      worker.postMessage(step);
    }).finally(() => this.#armIdle());
  }

  #armIdle(): void {
    if (this.#waiting.length > 0) return;
    this.#worker?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(new Error("The thread is idle.")), idleMs).unref();
  }

  /** @throws {Error} if it has died a short time ago */
  #open(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    if (performance.now() < this.#brokenUntilMs) throw new Error("The thread has died.");
    const worker = new Worker(this.#program, { eval: true, name: "restwright hashes", workerData: { stepBytes }, execArgv: [], stdin: false });
    worker.on("message", ({ error, ...outcome }: Outcome & { readonly error?: string }) => {
      const waiting = this.#waiting.shift();
      if (error === undefined) waiting?.resolve(outcome);
      else waiting?.reject(new Error(error));
    });
    worker.on("error", (error: Error) => this.#break(worker, error));
    worker.on("exit", () => this.#break(worker, new Error("The thread has ended.")));
    this.#worker = worker;
    return worker;
  }

  #break(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#brokenUntilMs = performance.now() + brokenMs;
    this.#end(error);
  }

  #end(error: Error): void {
    const worker = this.#worker;
    this.#worker = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(error);
    void worker?.terminate();
  }
}

/** The program of the thread: a text, because bundlers do not find the file of a thread. It holds the hashes of at most a thousand files. */
const program = `
const { closeSync, openSync, readSync } = require("node:fs");
const { createHash } = require("node:crypto");
const { parentPort, workerData } = require("node:worker_threads");
const hashes = new Map();
const buffer = Buffer.allocUnsafe(1_048_576);

function take(file, size) {
  const known = hashes.get(file);
  hashes.delete(file);
  return known !== undefined && known.position <= size ? known : { hash: createHash("sha256"), position: 0 };
}

function advance({ file, size, isLast }) {
  const { hash, ...known } = take(file, size);
  const end = Math.min(size, known.position + workerData.stepBytes);
  let position = known.position;
  const handle = openSync(file, "r");
  try {
    while (position < end) {
      const bytes = readSync(handle, buffer, 0, Math.min(buffer.length, end - position), position);
      if (bytes === 0) throw new Error("The file is shorter.");
      hash.update(buffer.subarray(0, bytes));
      position += bytes;
    }
  } finally {
    closeSync(handle);
  }
  if (isLast && position === size) return { position, digest: hash.digest("hex") };
  hashes.set(file, { hash, position });
  for (const oldest of hashes.keys()) {
    if (hashes.size <= 1_000) break;
    hashes.delete(oldest);
  }
  return { position };
}

parentPort.on("message", (step) => {
  let outcome;
  try {
    outcome = advance(step);
  } catch (error) {
    outcome = { position: 0, error: String(error) };
  }
  parentPort.postMessage(outcome);
});
`;

/** The thread of the process. */
export const hashWorker = /* @__PURE__ */ new HashWorker();
