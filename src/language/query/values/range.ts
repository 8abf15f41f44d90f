import { ConfigurationError } from "../../../ground/problem/index.js";
import type { QueryField } from "../conditions/field.js";
import type { TableDraft } from "../paging/keys.js";

/** Parameter names for the ends of a range, and their fields: `{ minTotal: "total", createdFrom: "createdAt" }`. */
export type Ranges = Readonly<Record<string, string>>;

/** A dedicated name: `minTotal` means `total` ≥. */
export interface Range {
  readonly name: string;
  readonly field: QueryField;
  readonly operator: "gte" | "lte";
}

/**
 * Adds the range names that a collection declares.
 *
 * @throws {ConfigurationError} for a name that says neither end or already has a meaning, or a field that has no order
 */
export function rangeKeys({ collection, keys }: TableDraft, ranges: Ranges, fields: ReadonlyMap<string, QueryField>): void {
  for (const [name, key] of Object.entries(ranges)) {
    const field = fields.get(key);
    const operator = endOf(name);
    if (operator === undefined)
      throw new ConfigurationError(`${collection}: the range "${name}" must begin with min or max, or end with From or To.`);
    if (!field?.operators.includes(operator)) {
      throw new ConfigurationError(`${collection}: the range "${name}" names "${key}", which cannot be filtered by "${operator}".`);
    }
    if (keys.has(name)) throw new ConfigurationError(`${collection}: the range "${name}" is a field or a word of the query language.`);
    keys.set(name, { kind: "filter", field, operator, reading: "one", star: false });
  }
}

function endOf(name: string): Range["operator"] | undefined {
  if (/^min[A-Z]|From$/.test(name)) return "gte";
  return /^max[A-Z]|To$/.test(name) ? "lte" : undefined;
}

/** `minX` and `maxX` of a number, `<stem>From` and `<stem>To` of a date or date-time, the stem of `createdAt` is `created`. */
export function derivedRanges(field: QueryField): Range[] {
  const names = field.path.length > 1 ? undefined : rangeNames(field.path[0], field.field.kind);
  if (names === undefined) return [];
  return (["gte", "lte"] as const)
    .filter((operator) => field.operators.includes(operator))
    .map((operator) => ({ name: names[operator], field, operator }));
}

function rangeNames(name: string, kind: QueryField["field"]["kind"]): Record<Range["operator"], string> | undefined {
  switch (kind) {
    case "int":
    case "number":
    case "bigint":
    case "decimal": {
      const capital = name.charAt(0).toUpperCase() + name.slice(1);
      return { gte: `min${capital}`, lte: `max${capital}` };
    }
    case "date":
    case "datetime": {
      const stem = name.replace(/(?:At|On|Date)$/, "") || name;
      return { gte: `${stem}From`, lte: `${stem}To` };
    }
    default:
      return undefined;
  }
}
