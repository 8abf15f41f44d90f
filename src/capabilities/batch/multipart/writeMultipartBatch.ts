import { STATUS_CODES } from "node:http";
import { isToken } from "../../../ground/http/headers/token.js";
import type { PartResult, WrittenResult } from "./partResult.js";

/**
 * Writes the response to a multipart batch: one part of type `application/http` for each result, to be sent as UTF-8.
 *
 * A value cannot add a header line: control characters become spaces, and a header whose name is not a token is omitted.
 *
 * @param boundary a boundary that occurs in no result, see `boundaryFor`
 * @see RFC 2046 §5.1.1
 * @example
 * writeMultipartBatch([{ index: 0, status: 204, headers: {}, body: null }], "b");
 */
export function writeMultipartBatch(results: readonly PartResult[], boundary: string): string {
  let text = "";
  for (const result of results) text += `${writePartHead(result, boundary)}${hasContent(result) ? (result.body ?? "") : ""}\r\n`;
  return text + writeEnd(boundary);
}

/** Writes the closing boundary. */
export function writeEnd(boundary: string): string {
  return `--${boundary}--\r\n`;
}

/** Whether a response with this status has a body, even an empty one. */
export function hasContent({ status }: WrittenResult): boolean {
  return status !== 204 && status !== 304;
}

/** Writes everything before the body of a part: the boundary, the part's headers, and the head of the response inside it. */
export function writePartHead(result: WrittenResult, boundary: string): string {
  const { name, index, status, headers, body } = result;
  const lines = [
    `--${boundary}`,
    "Content-Type: application/http",
    `Content-ID: <response-${name === undefined ? index : encodeId(name)}>`,
    "",
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}`,
    ...headerLines(headers),
    ...(hasContent(result) ? [`content-length: ${Buffer.byteLength(body ?? "")}`] : []),
    "",
    "",
  ];
  return lines.join("\r\n");
}

/** The length is computed here, and bodies of parts are not chunked. */
const framing: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"]);

function headerLines(headers: PartResult["headers"]): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => isToken(name) && !framing.has(name.toLowerCase()))
    .flatMap(([name, value]) => (typeof value === "string" ? [value] : value).map((line) => `${name}: ${blankControls(line)}`));
}

function blankControls(value: string): string {
  return value.replace(/\p{Cc}/gu, " ");
}

/** A name of printable ASCII is repeated as sent; other characters are percent-encoded, as in a `cid:` URL. */
function encodeId(name: string): string {
  return name.toWellFormed().replace(/[^\x20-\x3b\x3d\x3f-\x7e]/gu, encodeURIComponent);
}
