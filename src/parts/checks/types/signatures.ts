/** Bytes at a fixed offset in the files of a type. */
interface Signature {
  readonly type: string;
  /** In latin1. */
  readonly text: string;
  readonly at?: number | undefined;
  /** Whether the letters alone are too few, so that a NUL is required as well, which no text contains. */
  readonly isBinary?: boolean | undefined;
}

/** Types that their first bytes identify. */
const signatures: readonly Signature[] = [
  { type: "image/png", text: "\x89PNG\r\n\x1a\n" },
  { type: "image/jpeg", text: "\xff\xd8\xff" },
  { type: "image/gif", text: "GIF87a" },
  { type: "image/gif", text: "GIF89a" },
  { type: "image/tiff", text: "II*\0" },
  { type: "image/tiff", text: "MM\0*" },
  { type: "image/jxl", text: "\xff\x0a" },
  { type: "image/jxl", text: "\0\0\0\x0cJXL \r\n\x87\n" },
  { type: "image/vnd.microsoft.icon", text: "\0\0\x01\0" },
  { type: "image/vnd.adobe.photoshop", text: "8BPS\0" },
  { type: "application/pdf", text: "%PDF-" },
  { type: "application/rtf", text: "{\\rtf" },
  { type: "application/gzip", text: "\x1f\x8b\x08" },
  { type: "application/x-bzip2", text: "1AY&SY", at: 4 },
  { type: "application/x-xz", text: "\xfd7zXZ\0" },
  { type: "application/zstd", text: "\x28\xb5\x2f\xfd" },
  { type: "application/x-7z-compressed", text: "7z\xbc\xaf\x27\x1c" },
  { type: "application/vnd.rar", text: "Rar!\x1a\x07" },
  { type: "application/x-tar", text: "ustar", at: 257 },
  { type: "application/vnd.microsoft.portable-executable", text: "MZ", isBinary: true },
  { type: "application/x-elf", text: "\x7fELF" },
  { type: "application/wasm", text: "\0asm" },
  { type: "application/vnd.sqlite3", text: "SQLite format 3\0" },
  { type: "audio/flac", text: "fLaC" },
  { type: "audio/ogg", text: "OggS\0" },
  { type: "audio/mpeg", text: "ID3\x02" },
  { type: "audio/mpeg", text: "ID3\x03" },
  { type: "audio/mpeg", text: "ID3\x04" },
  { type: "font/woff", text: "wOFF" },
  { type: "font/woff2", text: "wOF2" },
  { type: "font/otf", text: "OTTO\0" },
  { type: "font/ttf", text: "\0\x01\0\0\0" },
];

/** The type by bytes at a fixed offset. */
export function matchSignature(head: Buffer): string | undefined {
  return signatures.find(
    ({ text, at = 0, isBinary = false }) => head.toString("latin1", at, at + text.length) === text && (!isBinary || head.includes(0)),
  )?.type;
}
