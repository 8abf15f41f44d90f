/** What spreadsheets take for the beginning of a formula, also behind apostrophes: those are what escaping adds. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** Numbers and telephone numbers, which spreadsheets may take for what they are. */
const plainNumber = /^[+-]?[\d ().-]+$/;

/**
 * The text of a cell that a spreadsheet takes for text: one apostrophe goes before what it would compute. {@link unescapeFormula} undoes it.
 *
 * @see CWE-1236
 * @example
 * escapeFormula("=1+1"); // "'=1+1"
 * escapeFormula("+44 20 7946 0958"); // as it is
 */
export function escapeFormula(cell: string): string {
  return isFormula(cell) ? `'${cell}` : cell;
}

/** What {@link escapeFormula} was given. Any other text stays as it is. */
export function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && isFormula(cell.slice(1)) ? cell.slice(1) : cell;
}

function isFormula(cell: string): boolean {
  return formula.test(cell) && !plainNumber.test(cell);
}
