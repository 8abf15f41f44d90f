import type { Readable, Writable } from "node:stream";

/** The streams, variables and clock of the process, passed in so that tests can replace them. */
export interface Terminal {
  readonly stdin: Readable;
  /** Results: a job as JSON, the rows of an export. */
  readonly stdout: Writable & { readonly isTTY?: boolean | undefined };
  /** Messages: progress, summaries, errors. */
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Version of the package. */
  readonly version: string;
  /** Folder of the package. */
  readonly packageFolder: string;
  /** Aborts at the first Ctrl-C. */
  readonly interruption: AbortSignal;
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or earlier if the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
