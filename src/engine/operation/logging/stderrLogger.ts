import type { Clock } from "../../../ground/clock/clock.js";
import type { Logger } from "./logger.js";

const nothing = () => {};

/**
 * Writes warnings and errors to stderr, one JSON line each: `{ time, level, message, requestId, …, error: { name, message, stack } }`. Its facts have passed
 * {@link safeLogger}.
 *
 * @param write writes one line; tests replace it
 */
export function stderrLogger(clock: Clock, write: (line: string) => void = writeToStderr): Logger {
  const at = (level: string) => (facts: Readonly<Record<string, unknown>>, message: string) => {
    const { err, ...others } = facts;
    const time = new Date(clock.now()).toISOString();
    write(JSON.stringify({ time, level, message, ...others, error: err }, plain));
  };
  return { error: at("error"), warn: at("warn"), info: nothing, debug: nothing };
}

/** `console` exists in every runtime and writes to the process's stderr. */
function writeToStderr(line: string): void {
  // biome-ignore lint/suspicious/noConsole: the default where the developer gave no logger
  console.error("%s", line);
}

/** Errors have no members that JSON shows, and JSON has no BigInt. */
function plain(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, code: "code" in value ? value.code : undefined, stack, cause, errors: "errors" in value ? value.errors : undefined };
}
