import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ResponseHeaders } from "../../../src/ground/http/message.js";

/** Status and headers of a response of node:http. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
}

/** The current head. */
export function headOf(outgoing: ServerResponse): ResponseHead {
  return { status: outgoing.statusCode, headers: { ...outgoing.getHeaders() } };
}

/** Restores a head. */
export function setHead(outgoing: ServerResponse, { status, headers }: ResponseHead): void {
  outgoing.statusCode = status;
  for (const name of outgoing.getHeaderNames()) if (headers[name] === undefined) outgoing.removeHeader(name);
  for (const [name, value] of Object.entries(headers)) {
    // Setting an unchanged header again would lose the case of its name.
    if (value !== undefined && String(outgoing.getHeader(name)) !== String(value)) outgoing.setHeader(name, value);
  }
}

/** Sets headers in the forms of `writeHead`: an object, a flat list, a list of pairs. A repeated name is sent repeatedly. */
export function setWrittenHeaders(outgoing: ServerResponse, headers: unknown): void {
  if (typeof headers !== "object" || headers === null) return;
  const pairs = Array.isArray(headers) ? pairsOf(headers) : Object.entries(headers).filter(([, value]) => value !== undefined);
  for (const [name] of pairs) outgoing.removeHeader(name);
  for (const [name, value] of pairs) outgoing.appendHeader(name, Array.isArray(value) ? value : String(value));
}

function pairsOf(list: readonly unknown[]): [string, unknown][] {
  const flat = Array.isArray(list[0]) ? list.flat() : list;
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[String(name), flat[index + 1]]] : []));
}

/** Headers as the hosts represent them. */
export type HostHeaders = Readonly<Record<string, OutgoingHttpHeader | readonly string[] | undefined>>;

/** The headers that were set or changed since `before`. Middleware before the guard sets its headers for each request, including a replay. */
export function headersSince(before: HostHeaders, now: HostHeaders): ResponseHeaders {
  const changed: ResponseHeaders = {};
  for (const [name, value] of Object.entries(now)) {
    if (value !== undefined && String(value) !== String(before[name])) changed[name] = typeof value === "number" ? String(value) : value;
  }
  return changed;
}
