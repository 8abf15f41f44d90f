/** The part of pino's shape that restwright calls: an object of facts, then a sentence. */
export interface Logger {
  error(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
  info(facts: Readonly<Record<string, unknown>>, message: string): void;
  debug(facts: Readonly<Record<string, unknown>>, message: string): void;
}

const nothing = () => {};

/** Says nothing: the default, since a library that prints is a nuisance in somebody else's process. */
export const silentLogger: Logger = { error: nothing, warn: nothing, info: nothing, debug: nothing };

const maximumLength = 256;

/** A client's text made fit for a log line: control characters escaped, 256 characters at most. */
export function loggable(text: string): string {
  const escaped = text.slice(0, maximumLength).replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return text.length > maximumLength ? `${escaped}…` : escaped;
}
