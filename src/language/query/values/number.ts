const integer = /^-?(?:0|[1-9]\d*)$/;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether the text is an integer as JSON writes it: no sign but `-`, no leading zero. */
export function isInteger(text: string): boolean {
  return integer.test(text);
}

/**
 * Whether the text is a number as JSON writes it; `Number` alone would accept ` 1`, `0x1` and the empty string.
 *
 * @see RFC 8259 §6
 */
export function isNumber(text: string): boolean {
  return number.test(text);
}
