import { isUtf8 } from "node:buffer";
import { type FileCheck, pass } from "../fileCheck.js";
import { reject } from "../rejection.js";

const textTypes: ReadonlySet<string> = new Set([
  "application/json",
  "application/x-ndjson",
  "application/xml",
  "image/svg+xml",
  "text/csv",
  "text/html",
  "text/markdown",
  "text/plain",
  "text/tab-separated-values",
]);

/**
 * Accepts text files only if they are strict UTF-8 without NUL from beginning to end; other files pass.
 *
 * @example
 * const checks = [typeCheck({ types: ["text/csv"] }), textCheck()];
 */
export function textCheck(): FileCheck {
  return {
    name: "text",
    needs: "stream",
    async run({ detectedType = "", read }) {
      if (!textTypes.has(detectedType)) return pass;
      let open: Uint8Array = new Uint8Array(0);
      let offset = 0;
      for await (const chunk of read()) {
        const bytes = open.length === 0 ? chunk : Buffer.concat([open, chunk]);
        const end = lastBoundary(bytes);
        if (chunk.includes(0) || !isUtf8(bytes.subarray(0, end))) return refusal(detectedType, offset);
        open = bytes.subarray(end);
        offset += end;
      }
      return open.length === 0 ? pass : refusal(detectedType, offset);
    },
  };
}

function refusal(detected: string, offset: number) {
  return reject("TYPE_NOT_ALLOWED", `The file begins as ${detected}, but is not UTF-8 text without NUL from byte ${offset} on.`, { detected });
}

/** Start of the last character, which may be incomplete. */
function lastBoundary(bytes: Uint8Array): number {
  for (let width = 1; width <= 3 && width <= bytes.length; width++) {
    const byte = bytes[bytes.length - width] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return widthOf(byte) > width ? bytes.length - width : bytes.length;
  }
  return bytes.length;
}

function widthOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
