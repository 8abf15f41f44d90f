import type { HttpRequest, HttpResponse, RequestBody, Service } from "restwright";

/** What a test sends. */
export interface Sent {
  readonly method?: string;
  /** Path with query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A value is sent as JSON, text and bytes as they are. */
  readonly body?: unknown;
  readonly mount?: string;
}

/** An answer with its body read. */
export interface Received {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly text: string;
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any;
}

/** A client that talks to the core without a socket. */
export function clientOf(service: Service): (sent: Sent) => Promise<Received> {
  return async (sent) => {
    const response = await service.handle(requestOf(sent));
    if (response === undefined) throw new Error(`No route for ${sent.target}.`);
    const { status, headers, body } = response;
    const text = typeof body === "string" ? body : (await readPieces(body)).toString();
    return {
      status,
      headers,
      text,
      get json() {
        return JSON.parse(text);
      },
    };
  };
}

export function requestOf({ method = "GET", target, headers = {}, body, mount = "" }: Sent): HttpRequest {
  const [path = "", query = ""] = target.split("?", 2);
  const bytes = bytesOf(body);
  const type = bytes.length > 0 && headers["content-type"] === undefined ? ["content-type", "application/json"] : [];
  const requestBody: RequestBody = body === undefined ? { kind: "none" } : { kind: "bytes", bytes };
  return {
    method,
    path,
    query,
    mount,
    headers: [...Object.entries(headers).flat(), ...type],
    body: requestBody,
    signal: new AbortController().signal,
    native: undefined,
  };
}

/** A body that comes in pieces, as a whole. */
export async function readPieces(body: HttpResponse["body"]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  if (body instanceof Uint8Array) return Buffer.from(body);
  if (body === null || typeof body === "string") return Buffer.concat(pieces);
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

function bytesOf(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array(0);
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
