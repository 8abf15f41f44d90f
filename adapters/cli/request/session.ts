import { Display } from "../terminal/display.js";
import type { Terminal } from "../terminal/terminal.js";

/** A running command. */
export interface Session {
  readonly terminal: Terminal;
  readonly display: Display;
  /** Origin of the command's URL. Credentials are sent to this origin only, whatever redirects and links say. */
  readonly origin: string;
  /** Headers of every request, including credentials, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** `--wait`: wait as long for a server that was never reached as for one that was. */
  readonly waits: boolean;
  /** `isMade` is set when the server was reached. */
  readonly contact: { isMade: boolean };
  /** Aborts requests and waits. */
  readonly signal: AbortSignal;
}

/** The session's headers for a URL: none for another origin. */
export function headersTo({ origin, headers }: Session, url: URL): Readonly<Record<string, string>> {
  return url.origin === origin ? headers : {};
}

/** Opens a session for the URL of a command. */
export function openSession(
  { quiet, headers, waits }: { readonly quiet: boolean; readonly headers: Session["headers"]; readonly waits: boolean },
  { origin }: URL,
  terminal: Terminal,
): Session {
  const display = new Display(terminal, { isQuiet: quiet });
  return { terminal, display, origin, headers, waits, contact: { isMade: false }, signal: terminal.interruption };
}
