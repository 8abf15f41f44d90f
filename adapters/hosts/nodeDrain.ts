import type { IncomingMessage } from "node:http";
import { isStream } from "../../src/ground/http/endingBody.js";
import type { HttpRequest, HttpResponse } from "../../src/ground/http/message.js";

/** An unread body of at most this many bytes is read to its end, and the connection stays. */
const keepAliveBytes = 64 * 1024;
const drainBytes = 64 * 1024 * 1024;
const drainMs = 1_000;

/**
 * Handles an unread request body after the response: a small one is read and discarded; for a larger one the connection is closed, but only
 * after reading for a while. Closing at once would reset the connection, and the client would never see the response.
 *
 * @see RFC 9112 §9.6
 */
export function answerBeforeBody(incoming: IncomingMessage, request: HttpRequest, response: HttpResponse): HttpResponse | Promise<HttpResponse> {
  if (request.body.kind !== "stream" || incoming.readableEnded || incoming.destroyed) {
    return response;
  }
  if (incoming.complete || Number(incoming.headers["content-length"]) <= keepAliveBytes) {
    incoming.resume();
    return response;
  }
  const drained = drain(incoming);
  const headers = { ...response.headers, connection: "close" };
  if (response.body === null) {
    return drained.then(() => ({ ...response, headers }));
  }
  return { ...response, headers, body: endAfter(drained, response.body) };
}

async function* endAfter(drained: Promise<void>, body: NonNullable<HttpResponse["body"]>): AsyncGenerator<string | Uint8Array> {
  if (isStream(body)) {
    yield* body;
  } else {
    yield body;
  }
  await drained;
}

/** Reads and discards up to 64 MiB for up to one second. */
function drain(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const count = (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > drainBytes) {
        finish();
      }
    };
    const finish = () => {
      clearTimeout(timer);
      incoming.off("data", count).off("end", finish).off("close", finish).off("error", finish);
      resolve();
    };
    const timer = setTimeout(finish, drainMs);
    incoming.on("data", count).on("end", finish).on("close", finish).on("error", finish);
    incoming.resume();
  });
}
