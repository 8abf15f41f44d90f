const latin1 = [
  "latin1",
  "ascii",
  "us-ascii",
  "iso-8859-1",
  "iso8859-1",
  "iso88591",
  "iso_8859-1",
  "iso_8859-1:1987",
  "windows-1252",
  "cp1252",
  "x-cp1252",
];
const known: ReadonlyMap<string, string> = new Map([
  ...["utf-8", "utf8"].map((name) => [name, "utf-8"] as const),
  ...latin1.map((name) => [name, "latin1"] as const),
  ...["utf-16le", "utf16le", "ucs-2", "ucs2"].map((name) => [name, "utf-16le"] as const),
]);

/**
 * The charset in which a field can be read: `utf-8`, `latin1` or `utf-16le`; `undefined` for one that is not known.
 *
 * @param declared in lower case, as in a Content-Type
 */
export function fieldCharset(declared: string): string | undefined {
  return known.get(declared);
}
