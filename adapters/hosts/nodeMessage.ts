import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { IncomingChunks } from "../../src/ground/http/body/incomingChunks.js";
import type { HttpRequest, RequestBody } from "../../src/ground/http/message.js";
import type { MountedTarget } from "./mountedTarget.js";

/** The request and response of node:http, and the host's own request object if it has one. */
export interface NodeExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly native: unknown;
}

/** A class because of its getter: the signal is created on first access, and a getter on each object would cost more than everything else. */
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

  constructor(exchange: NodeExchange, target: MountedTarget, parsed: unknown) {
    const { incoming } = exchange;
    this.method = incoming.method ?? "GET";
    this.path = target.path;
    this.query = target.query;
    this.mount = target.mount;
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
 * Converts a request of node:http for the core.
 *
 * @param parsed The value of the host's body parser, if one has run.
 */
export function nodeRequest(exchange: NodeExchange, target: MountedTarget, parsed?: unknown): HttpRequest {
  return new NodeRequest(exchange, target, parsed);
}

/** A request of HTTP/1 has no stream of its own. */
type Incoming = IncomingMessage & { readonly stream?: Pick<ServerHttp2Stream, "aborted" | "endAfterHeaders" | "once"> };

function nodeBody(incoming: Incoming, parsed: unknown): RequestBody {
  const { headers, stream } = incoming;
  // HTTP/2 announces a body by the frame of the headers, which does not end the stream.
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined && stream?.endAfterHeaders !== false) {
    return { kind: "none" };
  }
  // Parsers of other media types set `{}` without reading the body.
  if (parsed === undefined || !incoming.readableEnded) {
    return new IncomingBody(incoming);
  }
  if (typeof parsed === "string") {
    return { kind: "bytes", bytes: Buffer.from(parsed) };
  }
  return parsed instanceof Uint8Array ? { kind: "bytes", bytes: parsed } : { kind: "parsed", value: parsed };
}

/** A body that is still to be read. A small one is complete in most cases when it is needed: iterating over it costs more than all the rest of a small write. */
class IncomingBody implements Extract<RequestBody, { kind: "stream" }> {
  readonly kind = "stream";
  readonly #incoming: IncomingMessage;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
  }

  get stream(): AsyncIterable<Uint8Array> {
    return new IncomingChunks(this.#incoming);
  }

  get ownStream(): AsyncIterable<Uint8Array> {
    return new IncomingChunks(this.#incoming, { isOwn: true });
  }

  takeArrived(): Uint8Array | undefined {
    const { complete, destroyed, headers, readableEncoding, readableFlowing, readableLength } = this.#incoming;
    // The last chunk comes before the parser says that the message is complete.
    const hasArrived = readableLength > 0 && (complete || readableLength === Number(headers["content-length"]));
    // What another reader has begun is its own, and text that it asked for is not the bytes that were sent.
    if (!hasArrived || destroyed || readableFlowing !== null || readableEncoding !== null) return undefined;
    const bytes: Uint8Array = this.#incoming.read();
    // Otherwise the stream would not end, and the next request of the connection would not begin.
    this.#incoming.resume();
    return bytes;
  }
}

/** Aborts when the connection ends before the response is out. */
function disconnectSignal({ socket, stream }: Incoming, outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!outgoing.writableFinished) {
      controller.abort();
    }
  };
  outgoing.once("close", abort);
  // A response of HTTP/2 counts as finished when the client resets its stream.
  if (stream?.aborted) controller.abort();
  stream?.once("aborted", () => controller.abort());
  if (outgoing.socket === null) {
    // A pipelined response has no socket until its turn comes, and is not told that the connection has ended before.
    socket.once("close", abort);
    outgoing.once("close", () => socket.off("close", abort));
  }
  if (socket.destroyed) {
    abort();
  }
  return controller.signal;
}
