import { stringFormat, type ZodType } from "zod";
import { optionsCheck, strict, whole } from "../../ground/options/index.js";
import { isBase64 } from "../../ground/storage/values/base64.js";
import type { Bytes } from "../schema/scalarFields.js";
import { withScalar } from "./withScalar.js";

/** The options of {@link bytes}. */
export interface BytesOptions {
  /** The most bytes of a value. Default: what the limits of a request allow. */
  readonly maxBytes?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("bytes", () => strict<BytesOptions>({ maxBytes: whole(0) }));

/**
 * Bytes as base64 text, on the wire and in code, with padding. Each value has one text: `"QR=="`, whose unused bits are not 0, is invalid.
 *
 * Lists and single rows show such a field only if a request asks for it, as one of `heavy`. Queries can ask only whether it exists, and it cannot be in `unique`, `sort`
 * or `index`.
 *
 * @throws {ConfigurationError} for an unknown option
 * @see RFC 4648 §4
 * @example
 * bytes({ maxBytes: 32 }).parse(Buffer.from("hello").toString("base64")); // "aGVsbG8="
 */
export function bytes(options: BytesOptions = {}): ZodType<string, string> & Bytes {
  check(options);
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  const most = Number.isFinite(maxBytes) ? ` of at most ${maxBytes} bytes` : "";
  const error = `Must be base64 with padding${most}, as "aGVsbG8=".`;
  const type = stringFormat("bytes", (text) => sizeOf(text) <= maxBytes && isBase64(text), { error });
  const scalar = { kind: "bytes", parse: () => undefined, expected: "nothing: this field takes no value" } as const;
  const bounds = Number.isFinite(maxBytes) ? boundsOf(maxBytes) : {};
  return withScalar(type, scalar).meta({ format: "byte", contentEncoding: "base64", ...bounds });
}

/** The bounds of the text in JSON Schema: unless 3 divides the most bytes, a text of the most characters ends with padding. */
function boundsOf(maxBytes: number): object {
  const maxLength = 4 * Math.ceil(maxBytes / 3);
  return maxBytes % 3 === 0 ? { maxLength } : { maxLength, not: { minLength: maxLength, pattern: maxBytes % 3 === 2 ? "[^=]$" : "[^=].$" } };
}

/** Bytes that a base64 text encodes. */
function sizeOf(text: string): number {
  return (text.length / 4) * 3 - (text.endsWith("==") ? 2 : Number(text.endsWith("=")));
}
