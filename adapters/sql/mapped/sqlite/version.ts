import { hash } from "node:crypto";
import type { TableOptions } from "../../../../src/storage/tableOptions.js";
import type { Bindings } from "../../engine/bindings.js";
import { hexOf, toBytes } from "../../engine/bytes.js";
import type { SqlRow } from "../../engine/executor.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import type { MadeColumn, TableColumn } from "../../schema/table.js";
import type { Catalog, CatalogColumn } from "../catalog.js";
import { computedColumn, type MappedColumn, unmappedColumns } from "../mappedColumn.js";
import type { RowVersion } from "../mappedEngine.js";
import { affinityOf } from "./types.js";

/** A stored value that versions are made from. */
interface Part {
  /** The quoted name of its column. */
  readonly source: string;
  readonly declared: CatalogColumn;
  /** Its key in a stored row. */
  readonly key: string;
  /** Whether only the version needs it, so that it selects it. */
  readonly isExtra: boolean;
  /** Whether a text in it can be read. */
  readonly mayBeText: boolean;
}

/**
 * SQLite has no hash function, so versions are made here, from values as they are stored, and a write compares these values.
 *
 * @param key of the hashes
 */
export function sqliteVersion(
  key: string,
  columns: readonly MappedColumn[],
  ids: readonly MappedColumn[],
  options: TableOptions,
  catalog: Catalog,
): RowVersion {
  const { version } = options;
  const seal = (text: string) => hash("sha256", `${key}:${text}`, "base64url").slice(0, 22);
  if (version === "xmin") throw new Error(`${catalog.name}: SQLite has no "xmin"; say version: "hash", or { column } with an integer.`);
  return typeof version === "object" ? ofCounter(version.column, ids, catalog, seal) : ofValues(columns, options, catalog, seal);
}

type Seal = (text: string) => string;

/** The id belongs to it, so that two rows never have the same tag. Every row has its id. */
function ofCounter(name: string, ids: readonly MappedColumn[], catalog: Catalog, seal: Seal): RowVersion {
  const declared = catalog.columns.get(name);
  if (declared === undefined || affinityOf(declared.type) !== "integer") {
    throw new Error(`${catalog.name}: the version column "${name}" must be an integer: instants of SQLite are the same within a millisecond.`);
  }
  const source = quoteIdentifier(name);
  const parts = ids.map(partOf);
  return {
    column: madeColumn(source, parts, (stored) => seal(textOf(parts, stored) + valueText(stored[versionKey]))),
    unchanged: (_version, stored, bindings) => `${source} is ${bindValue(stored?.[versionKey], bindings)}`,
  };
}

function ofValues(columns: readonly MappedColumn[], options: TableOptions, catalog: Catalog, seal: Seal): RowVersion {
  const others = unmappedColumns(columns, options).map((name, index) => unmappedPart(name, columns.length + index, catalog));
  const parts = [...columns.map(partOf), ...others];
  const whole = joined(parts.map(({ source }) => `quote(${source}) || case when instr(${source}, char(0)) then hex(${source}) else ',' end`));
  const compared = parts.map(({ source, declared }) => (declared.collation === undefined ? source : `${source} collate binary`)).join(", ");
  const cut = wholeIfCut(parts, whole, options);
  const columnOf = (read: readonly Part[]) =>
    madeColumn(cut, read, (stored) => seal(stored[versionKey] === null ? textOf(read, stored) : `whole ${String(stored[versionKey])}`));
  const column = columnOf(parts);
  const alone = columnOf(parts.map((part, index) => asExtra(part, index)));
  return {
    column: { ...column, made: { ...column.made, alone } },
    unchanged(_version, stored, bindings) {
      if (stored !== undefined && stored[versionKey] !== null) return `(${whole}) = ${bindings.bind(stored[versionKey])}`;
      // A row value: SQLite refuses conditions that are nested more than 1,000 deep.
      return `(${compared}) is (${parts.map((part) => bindValue(stored?.[part.key], bindings)).join(", ")})`;
    },
  };
}

/** Some drivers end a text at a NUL character. A row with such a text is compared by the whole of it, and others need not be. */
function wholeIfCut(parts: readonly Part[], whole: string, { unreadable }: TableOptions): string {
  const texts = parts.filter(({ mayBeText }) => mayBeText || unreadable === "null");
  if (texts.length === 0) return "null";
  const together = joined(texts.map(({ source, declared }) => (declared.isNullable ? `ifnull(${source}, '')` : source)));
  return `case when instr(${together}, char(0)) then ${whole} end`;
}

const versionKey = "_version";

function madeColumn(expression: string, parts: readonly Part[], ofRow: MadeColumn["ofRow"]): TableColumn & { readonly made: MadeColumn } {
  const column = computedColumn(versionKey, expression);
  const extra = parts.filter(({ isExtra }) => isExtra).map(({ source, key }) => `${source} as ${quoteIdentifier(key)}`);
  return { ...column, selected: [column.selected, ...extra].join(", "), made: { ofRow } };
}

/** Most columns are read as they are stored. */
function partOf({ source, type, name, declared, leaf }: MappedColumn, index: number): Part {
  const mayBeText = ["text", "json", "datetime"].includes(leaf.field.kind) && affinityOf(declared.type) !== "integer";
  const part = { source, declared, mayBeText, key: name, isExtra: false };
  return type.read(source) === source ? part : asExtra(part, index);
}

function unmappedPart(name: string, index: number, { columns }: Catalog): Part {
  const declared = columns.get(name);
  if (declared === undefined) throw new Error(`The column "${name}" is missing.`);
  return asExtra({ source: quoteIdentifier(name), declared, mayBeText: affinityOf(declared.type) !== "integer" }, index);
}

function asExtra(part: Pick<Part, "source" | "declared" | "mayBeText">, index: number): Part {
  return { ...part, key: `${versionKey}.${index}`, isExtra: true };
}

function textOf(parts: readonly Part[], stored: SqlRow): string {
  let text = "";
  for (const { key } of parts) text += valueText(stored[key]);
  return text;
}

/** No text of a value begins with that of another one. */
function valueText(value: unknown): string {
  if (typeof value === "string") return `'${value.length} ${value}`;
  if (typeof value === "bigint" || typeof value === "number") return `${value},`;
  return value === null || value === undefined ? "n" : `x${hexOf(toBytes(value))},`;
}

/** Drivers bind empty bytes as null, so bytes are bound as hexadecimal text. */
function bindValue(value: unknown, bindings: Bindings): string {
  if (value === undefined || value === null || typeof value !== "object") return bindings.bind(value ?? null);
  return `unhex(${bindings.bind(hexOf(toBytes(value)))})`;
}

/** A balanced tree: SQLite refuses expressions that are nested more than 1,000 deep. */
function joined(parts: readonly string[]): string {
  if (parts.length <= 2) return parts.join(" || ");
  const middle = parts.length >>> 1;
  return `(${joined(parts.slice(0, middle))}) || (${joined(parts.slice(middle))})`;
}
