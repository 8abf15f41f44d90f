import type { Resource } from "../../../../engine/resource/resource.js";
import { unescapeFormula } from "../../../../language/csv/formula.js";
import { isWriteOnly } from "../../../../language/schema/access.js";
import type { SourceRow } from "../../rows.js";
import type { ImportSettings } from "../../settings.js";

/**
 * Compiles what the error report of an import has of a row: all values but those of write-only fields. Of a row in which these cannot be found, because it has
 * too many or too few cells or is not a JSON object, it has none.
 *
 * @param header the names of the CSV columns
 */
export function hideWriteOnly(
  { fields }: Pick<Resource, "fields">,
  { map, formulas }: Pick<ImportSettings, "map" | "formulas">,
  header: readonly string[] | undefined,
): (row: SourceRow) => SourceRow {
  const hidden = new Set([...fields.values()].filter(isWriteOnly).map(({ name }) => name.toLowerCase()));
  if (hidden.size === 0) return (row) => row;
  const isHidden = (given: string) => {
    const name = (Object.hasOwn(map, given) ? (map[given] ?? given) : given).toLowerCase();
    return hidden.has(name) || hidden.has(name.split(".", 1)[0] ?? name);
  };
  const titles = formulas === "escaped" ? header?.map(unescapeFormula) : header;
  const columns = new Set(titles?.flatMap((title, index) => (isHidden(title) ? [index] : [])));
  return ({ cells, quotedEmpty, value, text: _, ...row }) => {
    if (value !== undefined) return { ...row, value: Object.fromEntries(Object.entries(value).filter(([given]) => !isHidden(given))) };
    if (cells === undefined || cells.length !== header?.length) return row;
    return {
      ...row,
      cells: cells.map((cell, index) => (columns.has(index) ? "" : cell)),
      quotedEmpty: quotedEmpty && new Set([...quotedEmpty].filter((index) => !columns.has(index))),
    };
  };
}
