import { ProblemError } from "../problem/index.js";
import { ByteCollector } from "./byteCollector.js";
import { ClientGone } from "./clientGone.js";
import type { HttpRequest } from "./message.js";
import { StallWatch } from "./stallWatch.js";
import type { Timers } from "./timers.js";

export { ClientGone } from "./clientGone.js";

/** How much of a body is taken, and how long is waited for it. */
export interface BodyOptions {
  readonly limitBytes: number;
  /** Longest silence in milliseconds. */
  readonly stallMs: number;
  readonly timers: Timers;
  /** The header's value: a body that announces too much is refused before it is read. */
  readonly contentLength?: string | undefined;
}

/**
 * Reads the body of a request into memory.
 *
 * @throws {ProblemError} PAYLOAD_TOO_LARGE (with `maximum`), REQUEST_TIMEOUT
 * @throws {ClientGone} when the connection ends first
 * @throws {TypeError} for a body that the host has parsed already
 */
export async function readBody(request: HttpRequest, options: BodyOptions): Promise<Uint8Array> {
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
      return readStream(body.stream, options);
    case "parsed":
      throw new TypeError("The host has parsed this body already: there are no bytes to read.");
  }
}

/** Settles on whatever comes first: the end, the limit, a stall. A client that goes away ends the stream with an error. */
function readStream(stream: AsyncIterable<Uint8Array>, options: BodyOptions): Promise<Uint8Array> {
  const { limitBytes, stallMs, timers } = options;
  return new Promise<Uint8Array>((resolve, reject) => {
    const watch = new StallWatch(timers, stallMs, () => end(() => reject(stalled(stallMs))));
    const end = (settle: () => void) => {
      watch.end();
      settle();
    };
    collect(stream, limitBytes, watch).then(
      (bytes) => end(() => resolve(bytes)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}

async function collect(stream: AsyncIterable<Uint8Array>, limitBytes: number, watch: StallWatch): Promise<Uint8Array> {
  const collector = new ByteCollector();
  try {
    for await (const chunk of stream) {
      // Somebody has stopped waiting: leaving the loop lets go of the stream, so that the host can drain it.
      if (watch.ended) break;
      watch.progress();
      if (collector.length + chunk.length > limitBytes) throw payloadTooLarge(limitBytes);
      collector.add(chunk);
    }
  } catch (error) {
    throw error instanceof ProblemError ? error : new ClientGone(error);
  }
  return collector.bytes();
}

/** The answer to a body over its limit. */
export function payloadTooLarge(limitBytes: number): ProblemError {
  return new ProblemError("PAYLOAD_TOO_LARGE", `The body is larger than ${limitBytes} bytes.`, { extensions: { maximum: limitBytes } });
}

/** The answer to a body that nothing comes of any more. */
export function stalled(stallMs: number): ProblemError {
  return new ProblemError("REQUEST_TIMEOUT", `Nothing of the body arrived for ${stallMs / 1_000} s.`, { headers: { connection: "close" } });
}
