import type { ServerResponse } from "node:http";
import { addAbortSignal, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isStream } from "../../src/ground/http/endingBody.js";
import type { HttpRequest, HttpResponse, ResponseHeaders } from "../../src/ground/http/message.js";
import { watchAnswer } from "./answerWatch.js";
import { joinVary } from "./joinVary.js";

/** Adds our headers to those that the host has already set; its `Vary` and `Set-Cookie` stay. */
export function setHeaders(outgoing: ServerResponse, headers: ResponseHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === "vary") {
      outgoing.setHeader(name, joinVary(outgoing.getHeader(name), value));
    } else if (name === "set-cookie") {
      outgoing.appendHeader(name, value);
    } else {
      outgoing.setHeader(name, value);
    }
  }
}

/** A body in pieces as a Node stream; its buffer counts bytes, not chunks. */
export function readableOf(body: AsyncIterable<string | Uint8Array>): Readable {
  return body instanceof Readable ? body : Readable.from(body, { objectMode: false });
}

/**
 * The response with a watch over its client, and with a body that is closed if the client disconnects before the response's turn: a pipelined response has no socket
 * until then, is not notified of the end, and no host would close the body. Nor would one whose client resets a stream of HTTP/2, which ends as if it was sent.
 */
export function endWithConnection(outgoing: ServerResponse, request: HttpRequest, response: HttpResponse): HttpResponse {
  const isHttp2 = outgoing.req?.httpVersionMajor === 2;
  // Node warns of each header that HTTP/2 does not have.
  const answer = watchAnswer(outgoing, isHttp2 && "connection" in response.headers ? withoutConnection(response) : response);
  if ((outgoing.socket !== null && !isHttp2) || !isStream(answer.body)) return answer;
  // The host listens for errors only once it reads.
  const body = readableOf(answer.body).on("error", () => undefined);
  return { ...answer, body: addAbortSignal(request.signal, body) };
}

function withoutConnection({ headers: { connection: _, ...headers }, ...response }: HttpResponse): HttpResponse {
  return { ...response, headers };
}

/** Sends a response. A body that fails while it is sent destroys the connection: the client must not treat a part as the whole. */
export async function sendResponse(outgoing: ServerResponse, response: HttpResponse): Promise<void> {
  const { status, headers, body } = response;
  outgoing.statusCode = status;
  setHeaders(outgoing, headers);
  if (isStream(body)) {
    // `pipeline` has destroyed both ends when it rejects, so no response can follow.
    await pipeline(body, outgoing).catch(() => undefined);
  } else {
    outgoing.end(body ?? undefined);
  }
}
