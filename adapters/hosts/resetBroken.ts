import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { endingBody, isStream } from "../../src/ground/http/endingBody.js";
import type { HttpResponse } from "../../src/ground/http/message.js";

/**
 * The response with a body that resets the connection if it fails, where the client could not tell the failure from the end: an answer to HTTP/1.0 that has neither a length
 * nor chunks ends with its connection.
 *
 * @see RFC 9112 §6.3
 */
export function resetBroken(outgoing: ServerResponse, response: HttpResponse): HttpResponse {
  const { body, headers } = response;
  // Over HTTP/2 the response has no such property.
  if (outgoing.useChunkedEncodingByDefault !== false || !isStream(body) || headers["content-length"] !== undefined) return response;
  const ended = (error?: unknown) => {
    if (error !== undefined && outgoing.socket !== null) reset(outgoing.socket);
  };
  return { ...response, body: endingBody(body, ended) };
}

/** Node's handle of a connection, which is internal; that of TLS has the one of TCP as `_parent`. */
interface Handle {
  readonly _parent?: { reset?(done: () => void): number };
}

function reset(socket: Socket & { readonly _handle?: Handle | null }): void {
  const below = socket._handle?._parent;
  if (below?.reset !== undefined) {
    below.reset(() => undefined);
    socket.destroy();
    return;
  }
  try {
    socket.resetAndDestroy();
  } catch {
    // A Unix domain socket cannot be reset.
    socket.destroy();
  }
}
