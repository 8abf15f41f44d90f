import type { RowChunk, RowSource, SourceRow } from "../../../../src/capabilities/transfer/rows.js";
import { ProblemError } from "../../../../src/ground/problem/index.js";

/** A file that arrives in parts of so many bytes. */
export async function* inParts(file: Uint8Array | string, size = 65_536): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = Buffer.from(file);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** All bytes of a file as text. */
export async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

/** What a source of rows gave before it ended, and the problem that ended it. */
export interface Read {
  readonly rows: readonly SourceRow[];
  readonly chunks: readonly RowChunk[];
  readonly problem: ProblemError | undefined;
}

export async function readAll(source: RowSource): Promise<Read> {
  const chunks: RowChunk[] = [];
  const problem = await problemIn(async () => {
    for await (const chunk of source) chunks.push(chunk);
  });
  return { rows: chunks.flatMap(({ rows }) => rows), chunks, problem };
}

/** The problem that `run` rejects with; anything else is thrown on. */
export async function problemIn(run: () => Promise<unknown>): Promise<ProblemError | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/** A source without end that tells what was taken of it. */
export class Endless implements AsyncIterable<Uint8Array> {
  bytes = 0;
  isClosed = false;
  readonly #parts: Iterator<Uint8Array>;

  constructor(parts: Iterable<Uint8Array>) {
    this.#parts = parts[Symbol.iterator]();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let next = this.#parts.next(); next.done !== true; next = this.#parts.next()) {
        this.bytes += next.value.length;
        yield next.value;
      }
    } finally {
      this.isClosed = true;
    }
  }
}

/** `first`, and then `rest` again and again. */
export function* repeat(first: string | Uint8Array, rest: string | Uint8Array): Generator<Uint8Array, never, undefined> {
  yield Buffer.from(first);
  const part = Buffer.from(rest);
  for (;;) yield part;
}
