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
