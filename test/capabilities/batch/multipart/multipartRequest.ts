import { parseMultipartBatch } from "../../../../src/capabilities/batch/multipart/parseMultipartBatch.js";

/** Lines with CRLF between them. */
export function crlf(...lines: readonly string[]): string {
  return lines.join("\r\n");
}

export const multipartLimits = { maxOperations: 100, partHeaderBytes: 4_096, jsonDepth: 16, jsonMembers: 100, jsonValues: 1_000 };

/** Parses a body whose boundary is `b`. */
export function parseBatch(body: string | Uint8Array, contentType = "multipart/mixed; boundary=b") {
  return parseMultipartBatch(typeof body === "string" ? Buffer.from(body, "utf8") : body, contentType, multipartLimits);
}

/** A batch of one part with these headers and this message. */
export function batchOf(message: string, partHeaders: readonly string[] = ["Content-Type: application/http", "Content-ID: <one>"]): string {
  return crlf("--b", ...partHeaders, "", message, "--b--", "");
}
