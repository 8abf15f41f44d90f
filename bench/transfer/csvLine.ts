const special = /[",\r\n]/;

/** A row of CSV. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(",")}\r\n`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = value instanceof Date ? value.toISOString() : typeof value === "object" ? JSON.stringify(value) : String(value);
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
