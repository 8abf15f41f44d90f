import type { Row } from "../../../../src/ground/storage/collection.js";
import { hiddenIdName, joinId, splitId } from "../../../../src/ground/storage/compositeId.js";
import type { Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";
import type { TableColumn } from "../schema/table.js";
import type { MappedColumn } from "./mappedColumn.js";
import { nesting } from "./nested.js";

/**
 * The id of a table whose key has several columns. No column holds its text: conditions compare the columns as a row value, which their unique index is searched with, and
 * rows get the text when they are decoded.
 */
export function compositeColumn(parts: readonly MappedColumn[]): TableColumn {
  const alias = `"${hiddenIdName}"`;
  const valuesOf = (id: Scalar) => {
    const texts = typeof id === "string" ? splitId(id, parts.length) : undefined;
    return texts?.map((text, index) => partValue(parts[index]?.kind, text));
  };
  return {
    ...{ name: hiddenIdName, alias, selected: alias, kind: "text", isComputed: true, isNullable: false, parts },
    quoted: rowValue(parts.map(({ quoted }) => quoted)),
    encode: (value) => value,
    decode: String,
    accepts: (id) => valuesOf(id)?.every((value, index) => parts[index]?.accepts(value)) === true,
    comparable(id, bindings) {
      const bound = bindings.values.length;
      const parameters = (valuesOf(id) ?? [null]).map((value, index) => parts[index]?.comparable(value, bindings));
      if (!parameters.includes(undefined)) return rowValue(parameters as string[]);
      bindings.values.length = bound;
      return undefined;
    },
    listed(ids, bindings) {
      const lists = ids.map(valuesOf).filter((values) => values?.every((value, index) => parts[index]?.accepts(value)));
      return writeListed(parts, lists as readonly (readonly Scalar[])[], bindings);
    },
  };
}

/** The columns of a table with a composite id: rows that are decoded from them get its text. */
export function withCompositeId(columns: readonly MappedColumn[], parts: readonly MappedColumn[]): readonly MappedColumn[] {
  const names = parts.map(({ name }) => name);
  const withId = (read: readonly { readonly leaf?: MappedColumn["leaf"]; readonly name: string }[]) => {
    const nest = read.some(({ leaf }) => leaf !== undefined && leaf.above.length > 0) ? nesting(read) : (flat: Row) => flat;
    return (flat: Row): Row => ({ ...nest(flat), [hiddenIdName]: joinId(names.map((name) => flat[name])) });
  };
  return columns.map((column) => ({ ...column, nesting: withId }));
}

/** A part that no value of its column spells is not accepted by it. */
function partValue(kind: MappedColumn["kind"] | undefined, text: string): Scalar {
  if (kind !== "int" && kind !== "bigint") return text;
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return null;
  const value = BigInt(text);
  return kind === "bigint" || !Number.isSafeInteger(Number(value)) ? value : Number(value);
}

/** One bound list, as engines limit the number of parameters. */
function writeListed(parts: readonly MappedColumn[], ids: readonly (readonly Scalar[])[], bindings: Bindings): string {
  if (ids.length === 0) return "false";
  const { dialect } = bindings;
  const items = ids.map((values) =>
    JSON.stringify(`[${values.map((value) => (typeof value === "string" ? JSON.stringify(value) : String(value))).join(",")}]`),
  );
  const list = dialect.list("text", bindings.bind(`[${items.join(",")}]`));
  const partAt = (index: number) => dialect.jsonItem("item", index);
  const selected = parts.map(({ item }, index) => item?.(partAt(index)) ?? partAt(index));
  return `${rowValue(parts.map(({ quoted }) => quoted))} in (select ${selected.join(", ")} from (${list}) as listed)`;
}

function rowValue(members: readonly string[]): string {
  return `(${members.join(", ")})`;
}
