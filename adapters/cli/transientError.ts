import { CommandError } from "./commandError.js";

/** What may be over soon: a connection that was lost, a server that is busy. */
export class TransientError extends CommandError {
  override readonly name = "TransientError";
  /** How long the server wants to be left alone, in milliseconds; 0 where it says nothing. */
  readonly waitMs: number;

  constructor(message: string, { waitMs = 0, cause }: { readonly waitMs?: number | undefined; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.waitMs = waitMs;
  }
}
