import type { ProblemItem } from "../problem/index.js";
import { cut, quoted } from "../query/fault.js";
import { closest } from "../query/hint.js";

/** A column that has no place. */
interface PlacelessColumn {
  readonly title: string;
  /** What it is mapped to, or the title itself. */
  readonly name: string;
  readonly index: number;
}

/**
 * A column that means no field.
 *
 * @param known names of columns that there may be
 */
export function unknownColumn({ title, name, index }: PlacelessColumn, known: Iterable<string>): ProblemItem {
  if (name === "") return { code: "UNKNOWN_COLUMN", detail: `Column ${index + 1} has no name.` };
  const names = [...known];
  const near = closest(name, names);
  const what =
    name === title
      ? `Unknown column ${quoted(title)} (column ${index + 1}).`
      : `The column ${quoted(title)} is mapped to ${quoted(name)}, which is no field.`;
  return {
    code: "UNKNOWN_COLUMN",
    detail: near === undefined ? what : `${what} Did you mean "${near}"?`,
    allowed: names.slice(0, 100),
    ...(near === undefined ? {} : { hint: `did you mean "${near}"` }),
  };
}

/** Two columns for one field, or for a field and a member of it. */
export function repeatedColumn(title: string, other: string): ProblemItem {
  return { code: "REPEATED_COLUMN", detail: `The columns ${quoted(other)} and ${quoted(title)} mean the same field.` };
}

/** A column that is to be mapped, but is not there. */
export function unmappedColumn(title: string): ProblemItem {
  return { code: "MISSING_COLUMN", detail: `There is no column ${quoted(title)} to map.`, ...cut({ parameter: `map[${title}]` }) };
}
