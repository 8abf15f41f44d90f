import { parseMediaType } from "../http/mediaType.js";
import { parseBoundary } from "../http/multipartBoundary.js";
import { ProblemError } from "../problem/index.js";
import type { PartResult } from "./partResult.js";

/** What the Content-Type of a multipart batch says. */
export interface MultipartType {
  readonly subtype: "mixed" | "form-data";
  /** 1 to 70 characters of the RFC's alphabet. */
  readonly boundary: string;
}

/**
 * Parses the Content-Type of a multipart batch.
 *
 * @throws {ProblemError} INVALID_BATCH for any other type, and for a boundary that is missing, repeated, or outside the grammar
 * @see RFC 2046 §5.1.1
 * @example
 * parseMultipartType('multipart/mixed; boundary="batch_1"').boundary; // "batch_1"
 */
export function parseMultipartType(contentType: string): MultipartType {
  const media = parseMediaType(contentType);
  const subtype = media?.type === "multipart/mixed" ? "mixed" : media?.type === "multipart/form-data" ? "form-data" : undefined;
  if (subtype === undefined) throw invalid('A multipart batch is "multipart/mixed" or "multipart/form-data".');
  return { subtype, boundary: parseBoundary(contentType, invalid) };
}

const prefix = "batch_";
const digits = 8;

/**
 * A boundary that occurs nowhere in these results: the first number that does not follow the prefix in any of them, found in one pass.
 *
 * @see RFC 2046 §5.1.1
 */
export function boundaryFor(results: readonly PartResult[]): string {
  const taken = new Set<string>();
  for (const result of results) {
    noteNumbers(result.name ?? "", taken);
    noteNumbers(result.body ?? "", taken);
    for (const [name, value] of Object.entries(result.headers)) {
      noteNumbers(name, taken);
      for (const line of typeof value === "string" ? [value] : value) noteNumbers(line, taken);
    }
  }
  let number = 0;
  while (taken.has(padded(number))) number += 1;
  return prefix + padded(number);
}

function noteNumbers(text: string, taken: Set<string>): void {
  for (let at = text.indexOf(prefix); at !== -1; at = text.indexOf(prefix, at + prefix.length)) {
    taken.add(text.slice(at + prefix.length, at + prefix.length + digits));
  }
}

function padded(number: number): string {
  return String(number).padStart(digits, "0");
}

function invalid(detail: string): ProblemError {
  return new ProblemError("INVALID_BATCH", detail);
}
