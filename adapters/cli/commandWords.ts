/** A command line of the tool, quoted for a POSIX shell. */
export function commandWords(...words: readonly string[]): string {
  return ["restwright", ...words].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}
