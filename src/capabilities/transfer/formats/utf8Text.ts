import { isGzip } from "../../../ground/http/body/notUtf8.js";
import { type CharsetDecoder, encodingFault } from "./charsetDecoder.js";
import { Utf8Decoder } from "./utf8Decoder.js";
import { Utf16Decoder } from "./utf16Decoder.js";

/** The declared encoding of a text file; with `utf-16` the byte-order mark tells the byte order. */
export type TextCharset = "utf-8" | "utf-16" | "utf-16le" | "utf-16be";

/**
 * Converts a file to UTF-8 without a byte-order mark. The mark tells the encoding; without a mark it is `charset`, or else UTF-8.
 *
 * Chunks end between two characters. NUL is allowed.
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
      if (beginning.length < maxMarkBytes) continue;
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
const maxMarkBytes = 3;

/** The decoder for a file that begins with these bytes, and the bytes after the mark. */
function selectDecoder(beginning: Uint8Array, charset: TextCharset | undefined): [CharsetDecoder, Uint8Array] {
  const mark = marks.find(({ bytes }) => bytes.every((byte, index) => beginning[index] === byte));
  if (mark !== undefined && !mark.charset.startsWith(charset ?? "")) {
    throw encodingFault(`the file begins with the byte-order mark of ${mark.charset}, but was sent as ${charset}.`, 1, 0);
  }
  if (mark === undefined && charset === "utf-16") {
    throw encodingFault("a file in utf-16 must begin with a byte-order mark; use the charset utf-16le or utf-16be for a file without one.", 1, 0);
  }
  const encoding = mark?.charset ?? charset ?? "utf-8";
  if (encoding === "utf-8" && isGzip(beginning)) {
    throw encodingFault('the file is compressed with gzip, which was not said. Send it with "Content-Encoding: gzip", or uncompressed.', 1, 0);
  }
  const skipped = mark?.bytes.length ?? 0;
  const decoder = encoding === "utf-8" ? new Utf8Decoder(skipped) : new Utf16Decoder(encoding === "utf-16be", skipped);
  return [decoder, beginning.subarray(skipped)];
}
