import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpRequest, RequestBody } from "../src/http/message.js";
import type { Place } from "./place.js";

/** The two halves of an exchange on node:http, and the host's own request object where it has one. */
export interface NodeExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly native: unknown;
}

/**
 * A request of node:http as the core takes it.
 *
 * @param parsed What a body parser of the host has made of the body, where one has run.
 */
export function nodeRequest({ incoming, outgoing, native }: NodeExchange, place: Place, parsed?: unknown): HttpRequest {
  let signal: AbortSignal | undefined;
  return {
    method: incoming.method ?? "GET",
    path: place.path,
    query: place.query,
    mount: place.mount,
    headers: incoming.rawHeaders,
    body: nodeBody(incoming, parsed),
    get signal() {
      signal ??= disconnectSignal(incoming, outgoing);
      return signal;
    },
    address: incoming.socket.remoteAddress,
    native,
  };
}

function nodeBody(incoming: IncomingMessage, parsed: unknown): RequestBody {
  const { headers } = incoming;
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) {
    return { kind: "none" };
  }
  // Parsers of media types other than this one leave `{}` behind without having read anything.
  if (parsed === undefined || !incoming.readableEnded) {
    return { kind: "stream", stream: incoming.iterator({ destroyOnReturn: false }) };
  }
  if (typeof parsed === "string") {
    return { kind: "bytes", bytes: Buffer.from(parsed) };
  }
  return parsed instanceof Uint8Array ? { kind: "bytes", bytes: parsed } : { kind: "parsed", value: parsed };
}

/** Aborts when the connection ends before the response is out. */
function disconnectSignal({ socket }: IncomingMessage, outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!outgoing.writableFinished) {
      controller.abort();
    }
  };
  outgoing.once("close", abort);
  if (outgoing.socket === null) {
    // A pipelined response has no socket until its turn comes, and does not hear that the connection has ended before.
    socket.once("close", abort);
    outgoing.once("close", () => socket.off("close", abort));
  }
  if (socket.destroyed) {
    abort();
  }
  return controller.signal;
}
