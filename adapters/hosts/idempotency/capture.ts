import { ByteCollector } from "../../../src/ground/http/body/byteCollector.js";
import { isStream } from "../../../src/ground/http/endingBody.js";
import type { HttpResponse, ResponseHeaders } from "../../../src/ground/http/message.js";
import { maxBodyBytes } from "../../../src/parts/idempotency/storedResponse.js";

/** Takes the place of a body that is not stored. */
export const unstoredBody: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

/**
 * Reads the body of a response into memory, so that it can be stored before it is sent. A body of more than 10 MiB stays a stream that begins with the bytes
 * read so far. An event stream also stays a stream, because the client needs each event at once.
 */
export async function capture(response: HttpResponse): Promise<HttpResponse> {
  const { status, headers, body } = response;
  if (!isStream(body) || isEventStream(headers)) return response;
  const collector = new ByteCollector();
  const iterator = body[Symbol.asyncIterator]();
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    collector.add(typeof next.value === "string" ? Buffer.from(next.value) : next.value);
    if (collector.length > maxBodyBytes) return { status, headers, body: continued(collector.bytes(), iterator) };
  }
  return { status, headers, body: collector.bytes() };
}

/** Whether the response is an event stream, which the client reads while it is written. */
export function isEventStream(headers: ResponseHeaders): boolean {
  return headers["content-type"]?.toString().toLowerCase().startsWith("text/event-stream") === true;
}

async function* continued(bytes: Uint8Array, rest: AsyncIterator<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  yield bytes;
  yield* { [Symbol.asyncIterator]: () => rest };
}
