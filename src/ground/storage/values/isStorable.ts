/** Whether a text has neither NUL nor half of a surrogate pair. No engine can be trusted to keep anything else. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
