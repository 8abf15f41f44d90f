import { maxSmallChunks, smallChunkBytes } from "./body/smallChunks.js";
import { isStream } from "./endingBody.js";
import { inPieces } from "./inPieces.js";
import type { HttpRequest, HttpResponse, RequestBody, UnreadLimit } from "./message.js";
import type { Target } from "./target.js";
import { watchStall } from "./watchStall.js";
import { turnIsOver, yieldToEventLoop } from "./yieldToEventLoop.js";

/** Converts a WHATWG request for the core; its header values are already joined. @param place the target below the mount */
export function fetchRequest(request: Request, place: Target & { readonly mount: string }, body: RequestBody, native: unknown): HttpRequest {
  return {
    method: request.method,
    path: place.path,
    query: place.query,
    mount: place.mount,
    headers: headerLines(request),
    body,
    get signal() {
      return request.signal;
    },
    native,
  };
}

/** Hosts that get no Host header, such as a call within the process, have it in the URL. */
function headerLines({ headers, url }: Request): readonly string[] {
  const lines = [...headers].flat();
  return headers.has("host") ? lines : ["host", new URL(url).host, ...lines];
}

/**
 * The unread body of a WHATWG request. It is accessed as late as possible: hosts create a stream then, and start to read.
 *
 * Some hosts have a stream for requests without a body too; it is empty.
 */
export function fetchBody(request: Request): RequestBody {
  const framed = request.headers.has("content-length") || request.headers.has("transfer-encoding");
  if (request.method === "GET" || request.method === "HEAD" || (!framed && request.body === null)) {
    return { kind: "none" };
  }
  return { kind: "stream", stream: chunksOf(request) };
}

type WebChunk = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>;

/** The chunks of a stream that may have all of them at once: small ones are collected for a turn of the event loop, and no turn is held for long. */
async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  // Not a pattern of the parameter, which would ask for the body at once.
  const { body } = request;
  if (body === null) return;
  const reader = body.getReader();
  let smallChunks = 0;
  let pending: Promise<WebChunk> | undefined;
  try {
    for (;;) {
      const { done, value } = await (pending ?? reader.read());
      pending = undefined;
      if (done) return;
      if (turnIsOver()) await yieldToEventLoop();
      if (value.length > smallChunkBytes || ++smallChunks <= maxSmallChunks) {
        yield value;
        continue;
      }
      const collected = [value];
      const nextTurn = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
      for (;;) {
        pending = reader.read();
        // What ends the stream is seen by the next read.
        const next = await Promise.race([pending.catch(() => undefined), nextTurn]);
        if (next?.value === undefined) break;
        pending = undefined;
        collected.push(next.value);
        if (turnIsOver()) break;
      }
      yield Buffer.concat(collected);
    }
  } finally {
    void reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

/** Converts a response of the core that {@link wireResponse} has prepared. */
export function fetchResponse({ status, headers, body, unread }: HttpResponse): Response {
  const lines = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const line of [value].flat()) {
      lines.append(name, line);
    }
  }
  return new Response(responseBody(body, unread), { status, headers: lines });
}

/** A host gets a longer text in pieces when the answer has a limit: what it gets whole it holds until the client has read it. */
const wholeLength = 64 * 1_024;

/** Converts a body for `Response`. @param unread ends a body that the host does not go on to read */
export function responseBody(
  body: HttpResponse["body"],
  unread?: UnreadLimit | undefined,
): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null {
  if (isStream(body)) return webStream(body, unread);
  if (unread !== undefined && body !== null && body.length > wholeLength) return webStream(inPieces(body), unread);
  // A body is never a view of shared memory, which is the only case that the narrower type excludes.
  return body as string | Uint8Array<ArrayBuffer> | null;
}

/** Pulls a chunk only when the host requests one; a failure errors the stream, so that hosts break the connection. */
function webStream(body: AsyncIterable<string | Uint8Array>, unread: UnreadLimit | undefined): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let pulls = 0;
  let isMaking = false;
  let stop = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (unread === undefined) return;
        const stalled = () => {
          controller.error(new Error(`Nothing of the answer was read for ${unread.stallMs} ms.`));
          iterator.return?.().catch(() => undefined);
          unread.stalled();
        };
        stop = watchStall(unread, () => (isMaking ? undefined : pulls), stalled);
      },
      async pull(controller) {
        pulls += 1;
        isMaking = true;
        let next: IteratorResult<string | Uint8Array>;
        try {
          next = await iterator.next();
        } catch (error) {
          stop();
          throw error;
        }
        isMaking = false;
        if (next.done) {
          stop();
          controller.close();
        } else {
          controller.enqueue(typeof next.value === "string" ? encoder.encode(next.value) : next.value);
        }
      },
      async cancel() {
        stop();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
