import { isStream } from "../../src/ground/http/endingBody.js";
import type { ResponseBody } from "../../src/ground/http/message.js";
import { readableOf } from "./nodeResponse.js";

/** Converts a body for Koa, which writes any object that is neither a Buffer nor a Node stream as JSON. */
export function koaBody(body: ResponseBody): unknown {
  if (isStream(body)) return readableOf(body);
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body;
}
