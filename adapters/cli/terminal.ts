import type { Readable, Writable } from "node:stream";

/** What the tool has of the world around it. */
export interface Terminal {
  readonly stdin: Readable;
  /** For results: a job as JSON, the rows of an export. */
  readonly stdout: Writable;
  /** For people: progress, summaries, errors. */
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  /** Of the environment. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Of the package. */
  readonly version: string;
  /** Aborts at the first Ctrl-C. */
  readonly interruption: AbortSignal;
  /** Milliseconds since any moment, ever rising. */
  now(): number;
  /** Resolves after so many milliseconds, or when the signal aborts where that is sooner. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
