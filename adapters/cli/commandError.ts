/** An error that ends a command; its message is shown to the user. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  readonly exitCode: number = 1;
}

/** The command line is invalid. */
export class UsageError extends CommandError {
  override readonly name = "UsageError";
}

/** The exit code after Ctrl-C, as in shells: 128 plus the number of SIGINT. */
export const interrupted = 130;

/** The user pressed Ctrl-C. */
export class Interrupted extends CommandError {
  override readonly name = "Interrupted";
  override readonly exitCode = interrupted;

  constructor(message = "Interrupted.") {
    super(message);
  }
}

/** An error that may be gone with the next attempt: a lost connection, a busy server. */
export class TransientError extends CommandError {
  override readonly name = "TransientError";
  /** How long to wait by `Retry-After`, in milliseconds; 0 without it. */
  readonly waitMs: number;
  /** No connection could be made: perhaps nothing listens at the address. */
  readonly isUnreached: boolean;

  constructor(
    message: string,
    {
      waitMs = 0,
      isUnreached = false,
      cause,
    }: { readonly waitMs?: number | undefined; readonly isUnreached?: boolean | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.waitMs = waitMs;
    this.isUnreached = isUnreached;
  }
}
