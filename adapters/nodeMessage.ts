import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpRequest, RequestBody } from "../src/http/message.js";
import type { Place } from "./place.js";

/** The two halves of an exchange on node:http, and the host's own request object where it has one. */
export interface NodeExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly native: unknown;
}

/** A class for the sake of its getter: the signal is made when it is first asked for, and a getter on each object would cost more than the rest of it. */
class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly mount: string;
  readonly headers: readonly string[];
  readonly body: RequestBody;
  readonly native: unknown;
  readonly #exchange: NodeExchange;
  #signal: AbortSignal | undefined;

  constructor(exchange: NodeExchange, place: Place, parsed: unknown) {
    const { incoming } = exchange;
    this.method = incoming.method ?? "GET";
    this.path = place.path;
    this.query = place.query;
    this.mount = place.mount;
    this.headers = incoming.rawHeaders;
    this.body = nodeBody(incoming, parsed);
    this.native = exchange.native;
    this.#exchange = exchange;
  }

  get address(): string | undefined {
    return this.#exchange.incoming.socket.remoteAddress;
  }

  get signal(): AbortSignal {
    this.#signal ??= disconnectSignal(this.#exchange.incoming, this.#exchange.outgoing);
    return this.#signal;
  }
}

/**
 * A request of node:http as the core takes it.
 *
 * @param parsed What a body parser of the host has made of the body, where one has run.
 */
export function nodeRequest(exchange: NodeExchange, place: Place, parsed?: unknown): HttpRequest {
  return new NodeRequest(exchange, place, parsed);
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
