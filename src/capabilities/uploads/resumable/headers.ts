import type { RequestHeaders } from "../../../ground/http/headers/headers.js";
import { ProblemError, problemAt } from "../../../ground/problem/index.js";

/** The supported version of the tus protocol. */
export const tusVersion = "1.0.0";

const wholeNumber = /^(?:0|[1-9]\d{0,15})$/;

/** @throws {ProblemError} TUS_VERSION_UNSUPPORTED for another version; the header is optional */
export function requireVersion(headers: RequestHeaders): void {
  const version = headers.get("tus-resumable");
  if (version === undefined || version === tusVersion) return;
  throw new ProblemError(
    "TUS_VERSION_UNSUPPORTED",
    `The protocol version "${version.slice(0, 32)}" is not supported; send "Tus-Resumable: ${tusVersion}".`,
    {
      headers: { "tus-version": tusVersion },
      extensions: { supported: [tusVersion] },
    },
  );
}

/** Reads a number of bytes in canonical decimal form. @throws {ProblemError} MALFORMED_HEADER */
export function bytesOf(headers: RequestHeaders, name: "upload-length" | "upload-offset"): number | undefined {
  const text = headers.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (wholeNumber.test(text) && Number.isSafeInteger(value)) return value;
  throw malformed(
    name,
    `must be a whole number of bytes, at most ${Number.MAX_SAFE_INTEGER}, without sign and leading zeros; got "${text.slice(0, 32)}"`,
  );
}

/** Whether the client will send the length later. @throws {ProblemError} MALFORMED_HEADER */
export function isDeferred(headers: RequestHeaders): boolean {
  const text = headers.get("upload-defer-length");
  if (text === undefined) return false;
  if (text === "1") return true;
  throw malformed("upload-defer-length", `can only be 1; got "${text.slice(0, 32)}"`);
}

/** @param reason the rest of the sentence after the header's name */
export function malformed(name: string, reason: string, allowed?: readonly string[]): ProblemError {
  const detail = `The header "${name}" ${reason}.`;
  return problemAt("MALFORMED_HEADER", detail, { header: name, allowed });
}
