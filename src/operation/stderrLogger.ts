import type { Clock } from "./clock.js";
import type { Logger } from "./logger.js";

const nothing = () => {};
/** Maximum number of characters of one text, e.g. a stack. */
const maxCharacters = 16_384;
const maxDepth = 8;

/**
 * Writes warnings and errors to stderr, one JSON line each: `{ time, level, message, requestId, …, error: { name, message, stack } }`. Control characters are
 * escaped, so that a client cannot forge log lines or send control sequences to a terminal.
 *
 * @param write writes one line; tests replace it
 */
export function stderrLogger(clock: Clock, write: (line: string) => void = writeToStderr): Logger {
  const at = (level: string) => (facts: Readonly<Record<string, unknown>>, message: string) => {
    const { err, ...others } = facts;
    const entry = { time: new Date(clock.now()).toISOString(), level, message, ...others, ...(err === undefined ? {} : { error: err }) };
    try {
      write(lineOf(entry));
    } catch {
      // A failing log must not prevent an answer.
    }
  };
  return { error: at("error"), warn: at("warn"), info: nothing, debug: nothing };
}

/** `console` exists in every runtime and writes to the process's stderr. */
function writeToStderr(line: string): void {
  // biome-ignore lint/suspicious/noConsole: the default where the developer gave no logger
  console.error("%s", line);
}

function lineOf(entry: object): string {
  return JSON.stringify(plain(entry, 0)).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Converts a value to plain JSON data; errors keep their stack and cause. */
function plain(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.slice(0, maxCharacters);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return "…";
  const next = (member: unknown) => plain(member, depth + 1);
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    const code = "code" in value ? { code: next(value.code) } : {};
    return { name: next(name), message: next(message), ...code, stack: next(stack), ...(cause === undefined ? {} : { cause: next(cause) }) };
  }
  if (value instanceof Date) return value;
  if (Array.isArray(value)) return value.slice(0, 100).map(next);
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 100)
      .map(([name, member]) => [name, next(member)]),
  );
}
