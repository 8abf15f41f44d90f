import { parseBoundary } from "../../../ground/http/body/multipartBoundary.js";
import { parseMediaType } from "../../../ground/http/headers/mediaType.js";
import { invalidBatch } from "../invalidBatch.js";
import type { PartResult, WrittenResult } from "./partResult.js";

/** The parsed Content-Type of a multipart batch. */
export interface MultipartType {
  readonly subtype: "mixed" | "form-data";
  /** 1 to 70 characters of the alphabet of RFC 2046. */
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
  if (subtype === undefined) throw invalidBatch('A multipart batch is "multipart/mixed" or "multipart/form-data".');
  return { subtype, boundary: parseBoundary(contentType, invalidBatch) };
}

const prefix = "batch_";
const digits = 8;

/**
 * A boundary that occurs in none of the results: the prefix with the lowest number that does not follow it in any of them, found in one pass.
 *
 * @see RFC 2046 §5.1.1
 */
export function boundaryFor(results: readonly PartResult[]): string {
  const taken = new Set<string>();
  for (const result of results) collectBoundaryNumbers(result, taken);
  return freeBoundary(taken);
}

/** Collects the numbers of all boundaries that occur in a result. */
export function collectBoundaryNumbers({ name = "", body, headers }: WrittenResult, taken: Set<string>): void {
  collectNumbers(name, taken);
  collectNumbers(body ?? "", taken);
  for (const [header, value] of Object.entries(headers)) {
    collectNumbers(header, taken);
    for (const line of typeof value === "string" ? [value] : value) collectNumbers(line, taken);
  }
}

/** The first boundary whose number is free. */
export function freeBoundary(taken: ReadonlySet<string>): string {
  let number = 0;
  while (taken.has(padded(number))) number += 1;
  return prefix + padded(number);
}

function collectNumbers(text: string | Uint8Array, taken: Set<string>): void {
  const searched = typeof text === "string" ? text : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  for (let at = searched.indexOf(prefix); at !== -1; at = searched.indexOf(prefix, at + prefix.length)) {
    const found = searched.slice(at + prefix.length, at + prefix.length + digits);
    taken.add(typeof found === "string" ? found : found.toString("latin1"));
  }
}

function padded(number: number): string {
  return String(number).padStart(digits, "0");
}
