import { hash } from "node:crypto";
import type { TableOptions } from "../../../../../src/ground/storage/tableOptions.js";
import type { Bindings } from "../../engine/bindings.js";
import { hexOf, toBytes } from "../../engine/bytes.js";
import type { SqlRow } from "../../engine/executor.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import type { MadeColumn, TableColumn } from "../../schema/table.js";
import type { Catalog, CatalogColumn } from "../catalog.js";
import { computedColumn, type MappedColumn, unmappedColumns } from "../mappedColumn.js";
import type { RowVersion } from "../mappedEngine.js";
import { inTableOrder, nameOfParts, otherPartsOf, sealOfParts, type VersionPart } from "../versionParts.js";
import { affinityOf } from "./types.js";

/** A stored value that versions are made from; its expression is the quoted name of its column. */
interface Part extends VersionPart {
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
    column: madeColumn(versionKey, source, parts, (stored) => seal(textOf(parts, stored) + valueText(stored[versionKey]))),
    unchanged: (_version, stored, bindings) => `${source} is ${bindValue(stored?.[versionKey], bindings)}`,
  };
}

function ofValues(columns: readonly MappedColumn[], options: TableOptions, catalog: Catalog, seal: Seal): RowVersion {
  const others = unmappedColumns(columns, options, catalog).map((declared, index) => unmappedPart(declared, columns.length + index));
  const parts = inTableOrder([...columns.map(partOf), ...others]);
  const compared = parts
    .map(({ expression, declared }) => (declared.collation === undefined ? expression : `${expression} collate binary`))
    .join(", ");
  const column = versionOf(versionKey, parts, options, seal);
  return {
    column: { ...column, made: { ...column.made, alone: versionOf(versionKey, asExtras(versionKey, parts), options, seal) } },
    earlier(version) {
      const read = otherPartsOf(version, parts);
      return read && versionOf(earlierKey, asExtras(earlierKey, read), options, seal);
    },
    unchanged(_version, stored, bindings) {
      if (stored !== undefined && stored[versionKey] !== null) return `(${wholeOf(parts)}) = ${bindings.bind(stored[versionKey])}`;
      // A row value: SQLite refuses conditions that are nested more than 1,000 deep.
      return `(${compared}) is (${parts.map((part) => bindValue(stored?.[part.key], bindings)).join(", ")})`;
    },
  };
}

function versionOf(name: string, parts: readonly Part[], options: TableOptions, seal: Seal): ReturnType<typeof madeColumn> {
  const own = `${sealOfParts(parts)}:`;
  const end = nameOfParts(parts);
  return madeColumn(name, wholeIfCut(parts, options), parts, (stored) => {
    const whole = stored[name];
    return `${seal(own + (whole === null ? textOf(parts, stored) : `whole ${String(whole)}`))}${end}`;
  });
}

function wholeOf(parts: readonly Part[]): string {
  return joined(
    parts.map(({ expression }) => `quote(${expression}) || case when instr(${expression}, char(0)) then hex(${expression}) else ',' end`),
  );
}

/** Some drivers end a text at a NUL character. A row with such a text is compared by the whole of it, and others need not be. */
function wholeIfCut(parts: readonly Part[], { unreadable }: TableOptions): string {
  const texts = parts.filter(({ mayBeText }) => mayBeText || unreadable === "null");
  if (texts.length === 0) return "null";
  const together = joined(texts.map(({ expression, declared }) => (declared.isNullable ? `ifnull(${expression}, '')` : expression)));
  return `case when instr(${together}, char(0)) then ${wholeOf(parts)} end`;
}

const versionKey = "_version";
const earlierKey = "_earlier";

function madeColumn(
  name: string,
  expression: string,
  parts: readonly Part[],
  ofRow: MadeColumn["ofRow"],
): TableColumn & { readonly made: MadeColumn } {
  const column = computedColumn(name, expression);
  const extra = parts.filter(({ isExtra }) => isExtra).map(({ expression, key }) => `${expression} as ${quoteIdentifier(key)}`);
  return { ...column, selected: [column.selected, ...extra].join(", "), made: { ofRow } };
}

/** Most columns are read as they are stored. */
function partOf({ source, type, name, declared, leaf }: MappedColumn, index: number): Part {
  const mayBeText = ["text", "json", "datetime"].includes(leaf.field.kind) && affinityOf(declared.type) !== "integer";
  const part = { position: declared.position, expression: source, declared, mayBeText, key: name, isExtra: false };
  return type.read(source) === source ? part : asExtra(versionKey, part, index);
}

function unmappedPart(declared: CatalogColumn, index: number): Part {
  const { name, position, type } = declared;
  return asExtra(versionKey, { position, expression: quoteIdentifier(name), declared, mayBeText: affinityOf(type) !== "integer" }, index);
}

function asExtra(name: string, part: Omit<Part, "key" | "isExtra">, index: number): Part {
  return { ...part, key: `${name}.${index}`, isExtra: true };
}

function asExtras(name: string, parts: readonly Part[]): readonly Part[] {
  return parts.map((part, index) => asExtra(name, part, index));
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
