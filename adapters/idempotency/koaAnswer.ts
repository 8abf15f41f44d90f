import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { HttpResponse, ResponseBody } from "../../src/http/message.js";
import { capture, unkept } from "./capture.js";
import { type HostHeaders, headersSince } from "./headersSince.js";

/** What is read of Koa's context. */
interface Answered {
  readonly res: ServerResponse;
  readonly message: string;
  readonly status: number;
  readonly body: unknown;
  /** `false` where the handler writes to the response of Node itself. */
  readonly respond?: boolean | undefined;
}

/**
 * What the handlers have answered, as Koa is going to send it.
 *
 * @param before The headers that stood there before.
 */
export async function koaAnswer({ res, status, message, body, respond }: Answered, before: HostHeaders): Promise<HttpResponse> {
  const headers = headersSince(before, res.getHeaders());
  if (respond === false) return { status, headers, body: unkept };
  // Koa sends the phrase of a status that nothing else was said to.
  if (body === undefined && status !== 204 && status !== 304) {
    return { status, headers: { ...headers, "content-type": "text/plain; charset=utf-8" }, body: message };
  }
  const response = { status, headers, body: bodyOf(body) };
  try {
    return await capture(response);
  } catch (error) {
    // Koa has ended the stream together with the connection, not the handler: what it did is done.
    if (res.destroyed) return response;
    throw error;
  }
}

/** The forms that Koa takes. */
function bodyOf(body: unknown): ResponseBody {
  if (body === undefined || body === null || typeof body === "string" || Buffer.isBuffer(body)) return body ?? null;
  if (body instanceof Readable || body instanceof ReadableStream) return body;
  if (body instanceof Blob) return body.stream();
  if (body instanceof Response) return body.body;
  return JSON.stringify(body);
}
