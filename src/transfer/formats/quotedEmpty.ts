/**
 * The places of cells that are empty, but in quotes; `undefined` where there are none.
 *
 * @param row The row as it stands in the file, without its line end.
 * @param cells What a parser made of it; the delimiter has one byte.
 */
export function findQuotedEmpty(row: Uint8Array, cells: readonly string[]): ReadonlySet<number> | undefined {
  if (!cells.includes("")) return undefined;
  const text = Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString("utf8");
  const found = new Set<number>();
  let at = 0;
  for (let index = 0; index < cells.length; index++) {
    const cell = cells[index] ?? "";
    const isQuoted = text[at] === '"';
    if (isQuoted && cell === "") found.add(index);
    at += cell.length + (isQuoted ? 2 + countQuotes(cell) : 0) + 1;
  }
  return found.size > 0 ? found : undefined;
}

/** Each stands there twice. */
function countQuotes(cell: string): number {
  let quotes = 0;
  for (let at = cell.indexOf('"'); at !== -1; at = cell.indexOf('"', at + 1)) quotes += 1;
  return quotes;
}
