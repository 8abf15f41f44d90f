import { CommandError, Interrupted } from "./commandError.js";
import { connectionFault } from "./connectionFault.js";
import { refusalOf } from "./refusal.js";
import { headersTo, type Session } from "./session.js";

/** A request with a small body, or none. */
export interface Question {
  readonly method?: "GET" | "POST" | undefined;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

const mostRedirects = 5;

/**
 * Sends a request. A GET follows redirects, with credentials only where they belong.
 *
 * @returns an answer below 400; its body is the caller's to read
 * @throws {TransientError} where another try makes sense
 * @throws {Refusal} for any other answer of 400 and more
 */
export async function ask(session: Session, url: URL, question: Question = {}): Promise<Response> {
  const { method = "GET", headers = {}, body } = question;
  let at = url;
  for (let redirects = 0; ; redirects++) {
    const response = await answerOf(session, at, {
      method,
      headers: { ...headersTo(session, at), ...headers },
      body: body ?? null,
      redirect: "manual",
    });
    if (response.status >= 400) throw await refused(session, at, response);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status === 304 || location === null) return response;
    if (method !== "GET" || redirects === mostRedirects) throw new CommandError(`${at.href} answers ${response.status} with Location: ${location}.`);
    await response.body?.cancel();
    at = new URL(location, at);
  }
}

async function answerOf({ signal }: Session, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal });
  } catch (error) {
    throw signal.aborted ? new Interrupted() : connectionFault(error, url);
  }
}

/** The text of an answer. @throws {TransientError} where the connection breaks off */
export async function textOf({ signal }: Session, url: URL, response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw signal.aborted ? new Interrupted() : connectionFault(error, url);
  }
}

async function refused(session: Session, url: URL, response: Response) {
  const text = await textOf(session, url, response);
  return refusalOf({ url, status: response.status, text, retryAfter: response.headers.get("retry-after") ?? undefined }, Date.now());
}
