/** Text as case-insensitive comparison sees it: NFC-normalised, then lower-cased, by no locale's rules. */
export function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
