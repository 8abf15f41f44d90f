import { flag, optionsCheck, strict, text } from "../../../ground/options/index.js";
import { detectContainer } from "./containers.js";
import { matchSignature } from "./signatures.js";
import { detectText } from "./textType.js";

/** Hints for a type besides the bytes. */
export interface DetectTypeOptions {
  /** Of the file name, in lower case and without the dot. Used only for types with the same bytes, such as CSV and plain text. */
  readonly extension?: string | undefined;
  /** Whether `head` is the whole file. Defaults to `false`. */
  readonly isWhole?: boolean | undefined;
}

const check = /* @__PURE__ */ optionsCheck("detectType", () => strict<DetectTypeOptions>({ extension: text(), isWhole: flag() }));

/**
 * The type of a file by its first bytes, one of {@link fileTypes}. The first 64 KiB are enough for all of them.
 *
 * @returns `type/subtype` in lower case, or `undefined` for an unknown type
 * @example
 * detectType(Buffer.from("GIF89a")); // "image/gif"
 */
export function detectType(head: Uint8Array, options: DetectTypeOptions = {}): string | undefined {
  check(options);
  const { extension = "", isWhole = false } = options;
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  return detectContainer(bytes, extension) ?? matchSignature(bytes) ?? detectText(bytes, { extension, isWhole });
}
