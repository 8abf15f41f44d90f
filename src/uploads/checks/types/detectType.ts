import { detectContainer } from "./containers.js";
import { matchSignature } from "./signatures.js";
import { detectText } from "./textType.js";

/** What helps to tell a type besides the bytes. */
export interface DetectTypeOptions {
  /** Of the file's name, in lower case and without the dot: tells types apart that have the same bytes, such as CSV and plain text; never more. */
  readonly extension?: string | undefined;
  /** Whether `head` is all of the file; `false` unless given. */
  readonly isWhole?: boolean | undefined;
}

/**
 * What a file is by its first bytes; the types are those of {@link fileTypes}. 64 KiB are enough for all of them.
 *
 * @returns `type/subtype` in lower case, or `undefined` where nothing is recognised
 * @example
 * detectType(Buffer.from("GIF89a")); // "image/gif"
 */
export function detectType(head: Uint8Array, { extension = "", isWhole = false }: DetectTypeOptions = {}): string | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  return detectContainer(bytes, extension) ?? matchSignature(bytes) ?? detectText(bytes, { extension, isWhole });
}
