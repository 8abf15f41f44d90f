import type { CharsetDecoder } from "./charsetDecoder.js";
import { encodingFault } from "./encodingFault.js";
import { Utf8Decoder } from "./utf8Decoder.js";
import { Utf16Decoder } from "./utf16Decoder.js";

/** The encodings that a file of text may say it has; `utf-16` leaves the byte order to its byte-order mark. */
export type TextCharset = "utf-8" | "utf-16" | "utf-16le" | "utf-16be";

/**
 * The text of a file as UTF-8 without a byte-order mark. The mark decides what the file is; without one it is what `charset` says, or else UTF-8.
 *
 * Characters are never cut in two. NUL is a character like any other here.
 *
 * @throws {ProblemError} INVALID_ENCODING, with `line` and `byte`: see {@link encodingFault}
 * @see RFC 3629, RFC 2781 §3
 */
export async function* utf8Text(
  source: AsyncIterable<Uint8Array>,
  { charset }: { readonly charset?: TextCharset | undefined } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  let beginning: Uint8Array = new Uint8Array(0);
  let decoder: CharsetDecoder | undefined;
  for await (const chunk of source) {
    let bytes = chunk;
    if (decoder === undefined) {
      beginning = Buffer.concat([beginning, chunk]);
      if (beginning.length < longestMark) continue;
      [decoder, bytes] = selectDecoder(beginning, charset);
    }
    const text = decoder.add(bytes);
    if (text.length > 0) yield text;
  }
  if (decoder === undefined) {
    let bytes: Uint8Array;
    [decoder, bytes] = selectDecoder(beginning, charset);
    const text = decoder.add(bytes);
    if (text.length > 0) yield text;
  }
  decoder.end();
}

interface ByteOrderMark {
  readonly charset: "utf-8" | "utf-16le" | "utf-16be";
  readonly bytes: readonly number[];
}

const marks: readonly ByteOrderMark[] = [
  { charset: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { charset: "utf-16le", bytes: [0xff, 0xfe] },
  { charset: "utf-16be", bytes: [0xfe, 0xff] },
];
const longestMark = 3;

/** The decoder of a file that begins with these bytes, and what of them is text. */
function selectDecoder(beginning: Uint8Array, charset: TextCharset | undefined): [CharsetDecoder, Uint8Array] {
  const mark = marks.find(({ bytes }) => bytes.every((byte, index) => beginning[index] === byte));
  if (mark !== undefined && !mark.charset.startsWith(charset ?? "")) {
    throw encodingFault(`the file begins with the byte-order mark of ${mark.charset}, but is sent as ${charset}.`, 1, 0);
  }
  if (mark === undefined && charset === "utf-16") {
    throw encodingFault("a file in utf-16 must begin with a byte-order mark; say utf-16le or utf-16be for one without.", 1, 0);
  }
  const encoding = mark?.charset ?? charset ?? "utf-8";
  const skipped = mark?.bytes.length ?? 0;
  const decoder = encoding === "utf-8" ? new Utf8Decoder(skipped) : new Utf16Decoder(encoding === "utf-16be", skipped);
  return [decoder, beginning.subarray(skipped)];
}
