/** Bytes that are parsed at once: some thousand rows at most, since parsers give all their rows in one go. */
const pieceBytes = 65_536;

/** The bytes of a file in parts of at most 64 KiB. */
export async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes);
  }
}
