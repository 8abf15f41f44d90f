import type { Display } from "./display.js";
import type { Terminal } from "./terminal.js";

/** A command under way. */
export interface Session {
  readonly terminal: Terminal;
  readonly display: Display;
  /** What the command was pointed at. Credentials go nowhere else, wherever an answer may lead. */
  readonly origin: string;
  /** Credentials and whatever else goes with every request, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts what is under way. */
  readonly signal: AbortSignal;
}

/** The headers that a request to an address may carry. */
export function headersTo({ origin, headers }: Session, url: URL): Readonly<Record<string, string>> {
  return url.origin === origin ? headers : {};
}
