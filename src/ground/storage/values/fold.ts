/** Text for case-insensitive comparison: NFC-normalised, then lower-cased, independent of locale. */
export function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
