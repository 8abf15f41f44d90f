/** @throws {Error} for a text that is not a whole number of at least 1 */
export function wholeNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new Error(`--${option} must be a whole number of at least 1; got "${text}".`);
}
