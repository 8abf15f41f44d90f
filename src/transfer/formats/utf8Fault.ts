/** Bytes of the character that begins with this byte; 0 where none does. */
export function utf8Width(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

/**
 * Where bytes stop being UTF-8: the index of the first byte that begins no character; their length where all do.
 *
 * @see RFC 3629 §4
 */
export function findUtf8Fault(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const width = utf8Width(bytes[at] ?? 0);
    if (width === 0 || !isCharacter(bytes, at, width)) return at;
    at += width;
  }
  return at;
}

function isCharacter(bytes: Uint8Array, at: number, width: number): boolean {
  if (at + width > bytes.length) return false;
  for (let index = at + 1; index < at + width; index++) {
    if (((bytes[index] ?? 0) & 0xc0) !== 0x80) return false;
  }
  const second = bytes[at + 1] ?? 0;
  switch (bytes[at]) {
    // Too long, half of a surrogate pair, too long, and above U+10FFFF.
    case 0xe0:
      return second >= 0xa0;
    case 0xed:
      return second < 0xa0;
    case 0xf0:
      return second >= 0x90;
    case 0xf4:
      return second < 0x90;
    default:
      return true;
  }
}
