import { STATUS_CODES } from "node:http";
import { isToken } from "../http/token.js";
import type { PartResult } from "./partResult.js";

/**
 * Writes the answer of a multipart batch: one part of type `application/http` for each result, to be sent as UTF-8.
 *
 * No header line can come out of a value: control characters become spaces, and a header whose name is no token is left out.
 *
 * @param boundary One that occurs in no result, see `boundaryFor`.
 * @see RFC 2046 §5.1.1
 * @example
 * writeMultipartBatch([{ index: 0, status: 204, headers: {}, body: null }], "b");
 */
export function writeMultipartBatch(results: readonly PartResult[], boundary: string): string {
  let text = "";
  for (const result of results) text += `--${boundary}\r\n${writePart(result)}\r\n`;
  return `${text}--${boundary}--\r\n`;
}

function writePart({ name, index, status, headers, body }: PartResult): string {
  const hasLength = status !== 204 && status !== 304;
  const content = hasLength ? (body ?? "") : "";
  const lines = [
    "Content-Type: application/http",
    `Content-ID: <response-${name === undefined ? index : encodeId(name)}>`,
    "",
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}`,
    ...headerLines(headers),
    ...(hasLength ? [`content-length: ${Buffer.byteLength(content)}`] : []),
    "",
    content,
  ];
  return lines.join("\r\n");
}

/** The length is ours to tell, and nothing in a part is chunked. */
const framing: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"]);

function headerLines(headers: PartResult["headers"]): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => isToken(name) && !framing.has(name.toLowerCase()))
    .flatMap(([name, value]) => (typeof value === "string" ? [value] : value).map((line) => `${name}: ${blankControls(line)}`));
}

function blankControls(value: string): string {
  return value.replace(/\p{Cc}/gu, " ");
}

/** A name of printable ASCII comes back as it was sent; all else is percent-encoded, as in a `cid:` URL. */
function encodeId(name: string): string {
  return name.toWellFormed().replace(/[^\x20-\x3b\x3d\x3f-\x7e]/gu, encodeURIComponent);
}
