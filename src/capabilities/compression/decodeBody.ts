import type { DecodingLimits } from "../../engine/operation/answers/contentDecoder.js";
import { payloadTooLarge } from "../../ground/http/body/body.js";
import { decodeContent } from "../../ground/http/body/decodeContent.js";
import { callable, flag, optionsCheck, strict, whole } from "../../ground/options/index.js";
import { ProblemError, problemAt } from "../../ground/problem/index.js";

const checkLimits = /* @__PURE__ */ optionsCheck("decodeBody", () =>
  strict<DecodingLimits>({ limitBytes: whole(0), tooLarge: callable(), mayBeDecoded: flag() }, ["limitBytes"]),
);

/** How many times larger than the compressed body the decoded one may be. Text reaches 5 to 20; only padding reaches more than 200. */
const maxRatio = 200;

/** The ratio is not judged for less: a small body of equal values may have it. */
const minJudgedBytes = 1_048_576;

/**
 * Decodes one content coding under an absolute limit and a limit of the ratio. Decoding runs in the thread pool and ends with the first byte over a limit, so a body costs
 * at most the memory of its limit.
 *
 * @param coding in lower case: `gzip`, `x-gzip`, `br`, `zstd`
 * @throws {ProblemError} MALFORMED_COMPRESSION for a body that is invalid, incomplete or followed by other bytes; PAYLOAD_TOO_LARGE for a ratio over 200; the error of
 *   `tooLarge`
 * @throws {ConfigurationError} for an unknown or invalid limit
 * @see RFC 9110 §8.4.1
 * @example
 * await decodeBody(bytes, "gzip", { limitBytes: 1_048_576 });
 */
export async function decodeBody(bytes: Uint8Array, coding: string, limits: DecodingLimits): Promise<Uint8Array> {
  checkLimits(limits);
  const { limitBytes, mayBeDecoded = false, tooLarge = () => payloadTooLarge(limitBytes) } = limits;
  if (mayBeDecoded && !beginsWithMagic(bytes, coding)) return bytes;
  const maxByRatio = Math.max(minJudgedBytes, maxRatio * bytes.length);
  try {
    return (await decodeContent(bytes, coding, Math.min(limitBytes, maxByRatio))) ?? bytes;
  } catch (error) {
    if (isTooLarge(error)) throw maxByRatio < limitBytes ? tooDense(maxByRatio) : tooLarge();
    // Brotli has no magic number: only decoding shows that the host has done it before.
    if (mayBeDecoded && coding === "br") return bytes;
    throw malformed(coding, error);
  }
}

const magicNumbers: Readonly<Record<string, readonly number[]>> = {
  gzip: [0x1f, 0x8b],
  "x-gzip": [0x1f, 0x8b],
  zstd: [0x28, 0xb5, 0x2f, 0xfd],
};

/** A body that ends within the magic number is incomplete, and has not been decoded before. */
function beginsWithMagic(bytes: Uint8Array, coding: string): boolean {
  return (magicNumbers[coding] ?? []).every((byte, index) => index >= bytes.length || bytes[index] === byte);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}

function tooDense(maximum: number): ProblemError {
  const { message, extensions } = payloadTooLarge(maximum);
  return new ProblemError("PAYLOAD_TOO_LARGE", `${message} A compressed body must not expand to more than ${maxRatio} times its size.`, {
    extensions,
  });
}

function malformed(coding: string, cause: unknown): ProblemError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const detail = `The body is not valid ${coding}, or is incomplete: ${reason}.`;
  return problemAt("MALFORMED_COMPRESSION", detail, { header: "Content-Encoding" }, { cause });
}
