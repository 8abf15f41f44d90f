/** The beginnings of text that spreadsheets read as a formula, also after apostrophes, so that escaping can be undone. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** Numbers and telephone numbers, which are safe in spreadsheets. */
const plainNumber = /^[+-]?[\d ().-]+$/;

/**
 * Puts an apostrophe before text that a spreadsheet would compute as a formula. {@link unescapeFormula} undoes it.
 *
 * @see CWE-1236
 * @example
 * escapeFormula("=1+1"); // "'=1+1"
 * escapeFormula("+44 20 7946 0958"); // unchanged
 */
export function escapeFormula(cell: string): string {
  return isFormula(cell) ? `'${cell}` : cell;
}

/** Undoes {@link escapeFormula}. Other text is returned unchanged. */
export function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && isFormula(cell.slice(1)) ? cell.slice(1) : cell;
}

function isFormula(cell: string): boolean {
  // Fast path: most text begins with a letter.
  const first = cell.charCodeAt(0);
  return (first <= 0x40 || first > 0xff00) && formula.test(cell) && !plainNumber.test(cell);
}
