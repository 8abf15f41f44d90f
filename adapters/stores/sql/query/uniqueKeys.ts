import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";
import type { Table } from "../schema/table.js";

/** The unique keys whose fields are all compared with values. */
export interface BoundKeys {
  /** The comparisons of fields that are not text, with which the index of a key is searched as they are. */
  readonly filters: ReadonlySet<Filter>;
  readonly texts: readonly BoundText[];
}

/** A shadow column, and the texts that it may have. */
interface BoundText {
  readonly quoted: string;
  readonly texts: readonly unknown[];
}

/**
 * The unique keys whose fields the filters compare with values: there is at most one row for each combination of them. The index of a key is on shadow columns. Equal texts
 * have equal shadows, so that the same comparisons of those exclude no row.
 *
 * @param filters which all must hold
 * @returns `undefined` if the filters do not name all fields of any unique key that has a text
 */
export function boundKeys(filters: readonly Filter[], table: Table): BoundKeys | undefined {
  const { keys = [] } = table;
  // Asked several times for each statement, most of which name no whole key.
  if (!keys.some((key) => key.texts.length > 0 && key.fields.every((field) => filters.some((filter) => names(filter, field))))) return undefined;
  const given = new Map(filters.flatMap(comparisonIn));
  const compared = new Set<Filter>();
  const texts = new Map<string, BoundText>();
  for (const key of keys) {
    const members = key.fields.map((field) => ({ field, comparison: given.get(field), text: key.texts.find((each) => each.field === field) }));
    // A column that is compared by an expression is not so in the index.
    const isSearchable = members.every(
      ({ field, comparison, text }) => comparison !== undefined && (text !== undefined || key.columns.includes(table.at([field]).column.quoted)),
    );
    if (key.texts.length === 0 || !isSearchable) continue;
    for (const { comparison, text } of members) {
      if (comparison === undefined) continue;
      if (text === undefined) compared.add(comparison.filter);
      else texts.set(text.quoted, { quoted: text.quoted, texts: comparison.values.filter((value) => typeof value === "string").map(text.encode) });
    }
  }
  return texts.size === 0 ? undefined : { filters: compared, texts: [...texts.values()] };
}

function names(filter: Filter, field: string): boolean {
  return "path" in filter && filter.path[0] === field;
}

/** Whether a column of a query plan is that of a path, or its shadow in the index of a unique key. */
export function isColumnOf(name: string, path: Path, { plan, keys = [] }: Table): boolean {
  return name === plan.columnOf(path) || keys.some(({ texts }) => texts.some((text) => text.name === name && text.field === path[0]));
}

/** The comparison of a field with values other than null. */
function comparisonIn(
  filter: Filter,
): readonly (readonly [field: string, comparison: { readonly filter: Filter; readonly values: readonly Scalar[] }])[] {
  const values = filter.op === "in" ? filter.values : filter.op === "eq" ? [filter.value] : [null];
  return values.includes(null) || !("path" in filter) || filter.path.length > 1 ? [] : [[filter.path[0], { filter, values }]];
}

/** Writes the condition "the shadow column has one of the texts". */
export function writeKeyText({ quoted, texts }: BoundText, bindings: Bindings): string {
  if (texts.length === 1) return `${quoted} = ${bindings.bind(texts[0])}`;
  const { list, planner } = bindings.dialect;
  return planner.isListed(quoted, list("text", bindings.bind(JSON.stringify(texts))));
}
