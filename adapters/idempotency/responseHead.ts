import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/** Status and headers of a response of node:http. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
}

/** The head as it is now. */
export function headOf(outgoing: ServerResponse): ResponseHead {
  return { status: outgoing.statusCode, headers: { ...outgoing.getHeaders() } };
}

/** Makes the head what it was. */
export function setHead(outgoing: ServerResponse, { status, headers }: ResponseHead): void {
  outgoing.statusCode = status;
  for (const name of outgoing.getHeaderNames()) if (headers[name] === undefined) outgoing.removeHeader(name);
  for (const [name, value] of Object.entries(headers)) {
    // Setting it anew would lose the case of its name.
    if (value !== undefined && String(outgoing.getHeader(name)) !== String(value)) outgoing.setHeader(name, value);
  }
}

/** Sets headers in the forms that `writeHead` takes: an object, a flat list, a list of pairs. A name that stands twice is sent twice. */
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
