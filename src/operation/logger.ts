/** The part of pino's interface that restwright calls: an object with details, then a message. */
export interface Logger {
  error(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
  info(facts: Readonly<Record<string, unknown>>, message: string): void;
  debug(facts: Readonly<Record<string, unknown>>, message: string): void;
}

const nothing = () => {};

/** Discards all messages; used for `logger: false`. */
export const silentLogger: Logger = { error: nothing, warn: nothing, info: nothing, debug: nothing };

const maxLength = 256;

/** Makes a client's text safe for a log line: escapes control characters and keeps at most 256 characters. */
export function loggable(text: string): string {
  const escaped = text.slice(0, maxLength).replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return text.length > maxLength ? `${escaped}…` : escaped;
}
