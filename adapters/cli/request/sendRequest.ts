import { CommandError, Interrupted } from "../commandError.js";
import { connectionFault } from "./connectionFault.js";
import { refusalOf } from "./refusal.js";
import { headersTo, type Session } from "./session.js";

/** A request with a small body, or without one. */
export interface RequestOptions {
  readonly method?: "GET" | "POST" | undefined;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

const maxRedirects = 5;

/**
 * Sends a request. A GET follows redirects; credentials are sent to the origin of the session only.
 *
 * @returns a response with a status below 400; the caller reads its body
 * @throws {TransientError} for errors that may be gone with the next attempt
 * @throws {Refusal} for any other response with a status of 400 or above
 */
export async function sendRequest(session: Session, url: URL, options: RequestOptions = {}): Promise<Response> {
  const { method = "GET", headers = {}, body } = options;
  let at = url;
  for (let redirects = 0; ; redirects++) {
    const response = await fetchOnce(session, at, {
      method,
      headers: { ...headersTo(session, at), ...headers },
      body: body ?? null,
      redirect: "manual",
    });
    if (response.status >= 400) throw await refused(session, at, response);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status === 304 || location === null) return response;
    if (method !== "GET" || redirects === maxRedirects || !URL.canParse(location, at.href))
      throw new CommandError(`${at.href} answers with status ${response.status} and Location: ${location}, which is not followed.`);
    await response.body?.cancel();
    at = new URL(location, at);
  }
}

async function fetchOnce({ signal }: Session, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal });
  } catch (error) {
    throw signal.aborted ? new Interrupted() : connectionFault(error, url);
  }
}

/** The most bytes of an answer that is kept as a whole, such as a problem, a job or a document. */
const maxAnswerBytes = 64 * 1_024 * 1_024;

/** Reads the text of a response. @throws {TransientError} if the connection is lost, {CommandError} if it is too long */
export async function readText({ signal }: Session, url: URL, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw signal.aborted ? new Interrupted() : connectionFault(error, url);
  }
  if (bytes > maxAnswerBytes) throw new CommandError(`${url.href} answers with more than ${maxAnswerBytes} bytes, which are not read.`);
  return new TextDecoder().decode(Buffer.concat(chunks));
}

async function refused(session: Session, url: URL, response: Response) {
  const text = await readText(session, url, response);
  return refusalOf({ url, status: response.status, text, retryAfter: response.headers.get("retry-after") ?? undefined }, Date.now());
}
