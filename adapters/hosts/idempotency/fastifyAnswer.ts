import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { isStream } from "../../../src/ground/http/endingBody.js";
import type { HttpResponse, ResponseBody } from "../../../src/ground/http/message.js";
import { joinVary } from "../joinVary.js";
import { readableOf } from "../nodeResponse.js";
import { capture } from "./capture.js";
import { type HostHeaders, headersSince } from "./responseHead.js";

/** What Fastify passes to its hooks: text, bytes, a stream of Node or the web, a `Response`, or nothing. */
export type FastifyPayload = ResponseBody | Response | undefined;

/**
 * The response of the handler.
 *
 * @param before the headers before the handler
 */
export async function fastifyAnswer(reply: FastifyReply, payload: FastifyPayload, before: HostHeaders): Promise<HttpResponse> {
  if (payload instanceof Response) {
    reply.code(payload.status);
    for (const [name, value] of payload.headers) reply.header(name, value);
  }
  const body = payload instanceof Response ? payload.body : (payload ?? null);
  return capture({ status: reply.statusCode, headers: headersSince(before, reply.getHeaders()), body });
}

/** The body as the return value of the hook. Text stays text for later hooks. */
export function fastifyPayload(payload: unknown, { body }: HttpResponse): unknown {
  if (typeof payload === "string" || body === null) return payload instanceof Response ? null : payload;
  return isStream(body) ? readableOf(body) : bytesOf(body);
}

/** Sends a response that the handler did not make. It is sent as bytes, because Fastify changes the content type of texts. */
export function sendAnswer(reply: FastifyReply, response: HttpResponse): void {
  setHead(reply, response);
  const { body, headers } = response;
  if (body === null || isStream(body)) reply.send(body === null ? undefined : readableOf(body));
  else if (headers["content-type"] !== undefined) reply.send(bytesOf(body));
  // Fastify adds a content type to bytes without one, but not to streams.
  else reply.header("content-length", bytesOf(body).length).send(Readable.from([bytesOf(body)]));
}

/** Replaces the response of the handler with the response of another attempt. */
export function replaceAnswer(reply: FastifyReply, before: HostHeaders, response: HttpResponse): unknown {
  for (const name of Object.keys(reply.getHeaders())) if (before[name] === undefined) reply.removeHeader(name);
  setHead(reply, response);
  const { body } = response;
  return isStream(body) ? readableOf(body) : bytesOf(body ?? "");
}

function setHead(reply: FastifyReply, { status, headers }: HttpResponse): void {
  reply.code(status);
  for (const [name, value] of Object.entries(headers)) {
    reply.header(name, name === "vary" ? joinVary(reply.getHeader(name), value) : value);
  }
}

function bytesOf(body: string | Uint8Array): Buffer {
  return typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
