import { ByteCollector } from "../../src/http/byteCollector.js";
import type { HttpResponse, ResponseHeaders } from "../../src/http/message.js";
import { maximumBodyBytes } from "../../src/idempotency/storedResponse.js";
import { isStream } from "../response.js";

/** Stands for a body that is not kept. */
export const unkept: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

/**
 * The answer with its body in memory, so that it can be kept before it is sent. A body of more than 10 MiB stays a stream, with what was read of it
 * at its beginning, and so do events, which a client wants as they come.
 */
export async function capture(response: HttpResponse): Promise<HttpResponse> {
  const { status, headers, body } = response;
  if (!isStream(body) || isEventStream(headers)) return response;
  const collector = new ByteCollector();
  const iterator = body[Symbol.asyncIterator]();
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    collector.add(typeof next.value === "string" ? Buffer.from(next.value) : next.value);
    if (collector.length > maximumBodyBytes) return { status, headers, body: continued(collector.bytes(), iterator) };
  }
  return { status, headers, body: collector.bytes() };
}

/** Whether the client reads the answer while it is made. */
export function isEventStream(headers: ResponseHeaders): boolean {
  return headers["content-type"]?.toString().toLowerCase().startsWith("text/event-stream") === true;
}

async function* continued(bytes: Uint8Array, rest: AsyncIterator<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  yield bytes;
  yield* { [Symbol.asyncIterator]: () => rest };
}
