import type { ServerResponse } from "node:http";
import { setWrittenHeaders } from "./responseHead.js";

type Callback = (error?: Error | null) => void;

/** Receives the calls of a handler on a response. */
export interface Interceptor {
  readonly hasBegun: boolean;
  readonly hasEnded: boolean;
  /** Status and headers can no longer change. */
  begin(): void;
  /** Writes bytes. @returns whether the handler may write more, as in node:http */
  write(bytes: Uint8Array): boolean;
  end(bytes: Uint8Array | undefined, callback: Callback | undefined): void;
  /** The connection has ended. */
  close(): void;
  /** The handler destroyed the response: no more calls follow. */
  destroy(error: Error | undefined): void;
}

/**
 * Redirects the calls of a handler on a response of node:http, in every form that Node accepts. Hides the end of the connection from the handler.
 *
 * @returns a function that restores the response
 */
export function intercept(outgoing: ServerResponse, by: Interceptor): () => void {
  const { write, end, writeHead, flushHeaders, destroy, emit } = outgoing;
  const restore = () => {
    Object.assign(outgoing, { write, end, writeHead, flushHeaders, destroy, emit });
    Reflect.deleteProperty(outgoing, "headersSent");
    Reflect.deleteProperty(outgoing, "writableEnded");
  };
  outgoing.write = (chunk: unknown, ...rest: unknown[]) => {
    const callback = callbackOf(rest);
    if (callback) process.nextTick(callback);
    return by.write(bytesOf(chunk, rest[0]));
  };
  outgoing.end = (...values: unknown[]) => {
    const [chunk, encoding] = values;
    const hasChunk = chunk !== undefined && chunk !== null && typeof chunk !== "function";
    by.end(hasChunk ? bytesOf(chunk, encoding) : undefined, callbackOf(values));
    return outgoing;
  };
  outgoing.writeHead = (status: number, ...rest: unknown[]) => {
    if (by.hasBegun) return outgoing;
    outgoing.statusCode = status;
    if (typeof rest[0] === "string") outgoing.statusMessage = rest[0];
    setWrittenHeaders(outgoing, rest.at(-1));
    by.begin();
    return outgoing;
  };
  outgoing.flushHeaders = () => by.begin();
  outgoing.emit = (event: string | symbol, ...values: unknown[]) => {
    if (event !== "close") return Reflect.apply(emit, outgoing, [event, ...values]);
    by.close();
    return false;
  };
  outgoing.destroy = (error?: Error) => {
    restore();
    by.destroy(error);
    return outgoing.destroy(error);
  };
  Object.defineProperty(outgoing, "headersSent", { configurable: true, get: () => by.hasBegun });
  Object.defineProperty(outgoing, "writableEnded", { configurable: true, get: () => by.hasEnded });
  return restore;
}

function callbackOf(values: readonly unknown[]): Callback | undefined {
  return values.find((value): value is Callback => typeof value === "function");
}

/** A copy of a chunk: the writer may reuse its buffer after the callback. */
function bytesOf(chunk: unknown, encoding: unknown): Uint8Array {
  if (typeof chunk === "string") return Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  throw new TypeError(`A chunk of a response must be a string or bytes; got ${typeof chunk}.`);
}
