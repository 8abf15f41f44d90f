/** The text with the lines of a diff changed. @throws {Error} if the lines before are not in it, or more than once */
export function patched(text: string, diff: string): string {
  const lines = diff.trimEnd().split("\n");
  const side = (mark: string) => lines.flatMap((line) => (line.startsWith(mark) ? [] : [line.slice(1)])).join("\n");
  const [before, after] = [side("+"), side("-")];
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`The file has ${parts.length - 1} places like this:\n${before}`);
  return parts.join(after);
}
