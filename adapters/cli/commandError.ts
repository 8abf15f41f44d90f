/** What ends a command, with a message for people. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  readonly exitCode: number = 1;
}

/** The command itself makes no sense. */
export class UsageError extends CommandError {
  override readonly name = "UsageError";
}

/** Ctrl-C was pressed. 130 is what shells say of that. */
export class Interrupted extends CommandError {
  override readonly name = "Interrupted";
  override readonly exitCode = 130;

  constructor(message = "Interrupted.") {
    super(message);
  }
}
