import { ProblemError } from "../../problem/index.js";
import { ClientGone } from "../clientGone.js";
import type { HttpRequest } from "../message.js";
import type { Timers } from "../timers.js";
import { type BodyPace, BodyWatch } from "./bodyWatch.js";
import { ByteCollector } from "./byteCollector.js";

export { ClientGone } from "../clientGone.js";

/** The largest body to accept, and the slowest. */
export interface BodyOptions extends BodyPace {
  readonly limitBytes: number;
  readonly timers: Timers;
  /** The value of Content-Length: a body that announces too many bytes is refused before it is read. */
  readonly contentLength?: string | undefined;
}

/**
 * Reads the body of a request into memory; at once, without a promise, if it has arrived.
 *
 * @throws {ProblemError} PAYLOAD_TOO_LARGE (with `maximum`), REQUEST_TIMEOUT
 * @throws {ClientGone} when the connection ends first
 * @throws {TypeError} for a body that the host has already parsed
 */
export function readBody(request: HttpRequest, options: BodyOptions): Uint8Array | Promise<Uint8Array> {
  const { body } = request;
  const { contentLength, limitBytes } = options;
  if (contentLength !== undefined && Number(contentLength) > limitBytes) throw payloadTooLarge(limitBytes);
  switch (body.kind) {
    case "none":
      return new Uint8Array(0);
    case "bytes":
      if (body.bytes.length > limitBytes) throw payloadTooLarge(limitBytes);
      return body.bytes;
    case "stream":
      if (body.takeArrived === undefined) return readStream(body.stream, options);
      return takeArrived(body, limitBytes) ?? readArriving(body, options);
    case "parsed":
      throw new TypeError("The host has already parsed this body: there are no bytes to read.");
  }
}

type BodyStream = Extract<HttpRequest["body"], { readonly kind: "stream" }>;

function takeArrived(body: BodyStream, limitBytes: number): Uint8Array | undefined {
  const bytes = body.takeArrived?.();
  if (bytes !== undefined && bytes.length > limitBytes) throw payloadTooLarge(limitBytes);
  return bytes;
}

/** Node passes a request on before it looks at the bytes of the body, although most small ones come with the head: they are there one turn later. */
async function readArriving(body: BodyStream, options: BodyOptions): Promise<Uint8Array> {
  await Promise.resolve();
  return takeArrived(body, options.limitBytes) ?? readStream(body.stream, options);
}

/** Settles at the end of the body, at the limit, or when the client is too slow. When the client disconnects, the stream fails. */
function readStream(stream: AsyncIterable<Uint8Array>, options: BodyOptions): Promise<Uint8Array> {
  const watch = new BodyWatch(options.timers, options);
  return new Promise<Uint8Array>((resolve, reject) => {
    watch.wait(reject);
    collect(stream, options.limitBytes, (bytes) => {
      watch.arrived(bytes);
      watch.wait(reject);
      return watch.ended;
    })
      .finally(() => watch.end())
      .then(resolve, reject);
  });
}

/** @param arrived whether the body is already complete or refused */
async function collect(stream: AsyncIterable<Uint8Array>, limitBytes: number, arrived: (bytes: number) => boolean): Promise<Uint8Array> {
  const collector = new ByteCollector();
  try {
    for await (const chunk of stream) {
      // Leaving the loop releases the stream, so that the host can drain it.
      if (arrived(chunk.length)) break;
      if (collector.length + chunk.length > limitBytes) throw payloadTooLarge(limitBytes);
      collector.add(chunk);
    }
  } catch (error) {
    throw error instanceof ProblemError ? error : new ClientGone(error);
  }
  return collector.bytes();
}

/** The problem for a body over its limit. */
export function payloadTooLarge(limitBytes: number): ProblemError {
  return new ProblemError("PAYLOAD_TOO_LARGE", `The body is larger than ${limitBytes} bytes.`, { extensions: { maximum: limitBytes } });
}
