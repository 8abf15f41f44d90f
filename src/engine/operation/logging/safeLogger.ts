import { loggable } from "./loggable.js";
import type { Logger } from "./logger.js";

const maxMessageCharacters = 1_024;
const maxFrames = 50;
const maxDepth = 4;
const maxMembers = 100;

/**
 * Passes everything to a logger in a safe form, wherever it comes from: one line an event, control characters escaped, credentials removed, at most 256 characters
 * of a value. Of an error only name, message, code, frames and causes are kept, because drivers add the values of statements and commands to theirs.
 *
 * A logger that throws must not prevent an answer.
 */
export function safeLogger(logger: Logger): Logger {
  const at = (level: keyof Logger) => (facts: Readonly<Record<string, unknown>>, message: string) => {
    try {
      logger[level](members(facts, 0), loggable(message, maxMessageCharacters));
    } catch {
      // The line is lost.
    }
  };
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}

function safe(value: unknown, depth: number): unknown {
  if (typeof value === "string") return loggable(value);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (depth > maxDepth) return "…";
  if (value instanceof Error) return safeError(value, depth + 1);
  return Array.isArray(value) ? Object.values(members(value, depth + 1)) : members(value, depth + 1);
}

function members(value: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(value).slice(0, maxMembers);
  return Object.fromEntries(entries.map(([name, member]) => [loggable(name), safe(member, depth)]));
}

/** Of the same class, and with the symbols by which errors of several copies of a module are recognised, so that serializers and filters know it. */
function safeError(error: Error, depth: number): Error {
  const message = loggable(String(error.message), maxMessageCharacters);
  const frames =
    String(error.stack)
      .match(/^ +at .*/gm)
      ?.slice(0, maxFrames) ?? [];
  const copy = Object.setPrototypeOf(new Error(message), Object.getPrototypeOf(error));
  for (const name of ["name", "code", "cause", "errors"]) if (Object.hasOwn(error, name)) copy[name] = safe(Reflect.get(error, name), depth);
  for (const brand of Object.getOwnPropertySymbols(error)) if (Reflect.get(error, brand) === true) copy[brand] = true;
  copy.stack = [`${copy.name}: ${message}`, ...frames.map((line) => loggable(line))].join("\n");
  return copy;
}
