import type { Exception } from "@opentelemetry/api";

/** The most characters of a stack. */
const maxStackCharacters = 8_192;

/**
 * An error as spans record it: its name and where it was thrown. Messages of stores and of hooks may contain values of rows and of requests, so they are left out unless
 * the developer wants them.
 */
export function exceptionOf(error: unknown, withMessage: boolean): Exception {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, message, stack = "" } = error;
  if (withMessage) return { name, message, stack: stack.slice(0, maxStackCharacters) };
  return { name, stack: framesOf(stack, message).slice(0, maxStackCharacters) };
}

/** The lines of a stack that name places in the code: those at its end, because a message may look like one. */
function framesOf(stack: string, message: string): string {
  const lines = (message === "" ? stack : stack.replace(message, () => "")).split("\n");
  const first = lines.findLastIndex((line) => !/^\s+at /.test(line)) + 1;
  return lines.slice(first).join("\n");
}
