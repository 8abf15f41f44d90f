const special = /[",\r\n]/;

/** A cell of CSV. */
export function csvCell(text: string | null): string {
  if (text === null) return "";
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
