/** Whether the word `obj` is in there, by itself, as at the beginning of an object. */
export function mayHoldObject(bytes: Buffer): boolean {
  for (let at = bytes.indexOf("obj", 0, "latin1"); at !== -1; at = bytes.indexOf("obj", at + 1, "latin1")) {
    // In the lower case; at the beginning there is no number before it.
    const before = (bytes[at - 1] ?? 0x61) | 0x20;
    if (before < 0x61 || before > 0x7a) return true;
  }
  return false;
}
