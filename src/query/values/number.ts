const [zero, nine, minus, plus, point, upperE, lowerE] = [48, 57, 45, 43, 46, 69, 101];

/** Whether the text is an integer as JSON writes it: no sign but `-`, no leading zero. */
export function isInteger(text: string): boolean {
  const start = text.charCodeAt(0) === minus ? 1 : 0;
  const end = skipInteger(text, start);
  return end > start && end === text.length;
}

/**
 * Whether the text is a number as JSON writes it; `Number` alone would accept ` 1`, `0x1` and the empty string.
 *
 * @see RFC 8259 §6
 */
export function isNumber(text: string): boolean {
  const start = text.charCodeAt(0) === minus ? 1 : 0;
  let at = skipInteger(text, start);
  if (at === start) return false;
  if (text.charCodeAt(at) === point) {
    const end = skipDigits(text, at + 1);
    if (end === at + 1) return false;
    at = end;
  }
  const letter = text.charCodeAt(at);
  if (letter === lowerE || letter === upperE) {
    const sign = text.charCodeAt(at + 1);
    const digits = sign === plus || sign === minus ? at + 2 : at + 1;
    at = skipDigits(text, digits);
    if (at === digits) return false;
  }
  return at === text.length;
}

function skipInteger(text: string, start: number): number {
  return text.charCodeAt(start) === zero ? start + 1 : skipDigits(text, start);
}

function skipDigits(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < zero || code > nine) break;
  }
  return at;
}
