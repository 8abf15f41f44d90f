import { fold } from "../../../src/storage/fold.js";
import type { CollectionModel, UniqueKey } from "../../../src/storage/model.js";
import { quoteIdentifier } from "./identifier.js";
import { foldName, normalName } from "./shadow.js";
import { storedPath } from "./storedPath.js";
import type { OwnColumn, Table, TableColumn } from "./table.js";
import { readField, type Values } from "./values.js";

/** A unique key: its fields, and the columns of its index. */
export interface TableKey {
  readonly fields: readonly string[];
  /** Quoted, in the order of the fields: shadow columns for text. */
  readonly columns: readonly string[];
  /** The kind of each column. */
  readonly kinds: readonly TableColumn["kind"][];
  /** The values of a row in the index; `undefined` if one is null, so that the row cannot conflict. */
  valuesOf(row: Values): readonly unknown[] | undefined;
}

/** The id as a unique key. */
export function idKey({ id: { name, quoted, kind, encode }, model }: Pick<Table, "id" | "model">): TableKey {
  return { fields: model.idParts ?? [name], columns: [quoted], kinds: [kind], valuesOf: (row) => [encode(readField(row, name))] };
}

/** Whether two lists name the same fields, in any order. */
export function sameFields(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((field) => right.includes(field));
}

/** @throws {Error} when a field of the key is not a column */
export function compileKey(model: CollectionModel, key: UniqueKey, columns: ReadonlyMap<string, OwnColumn>): TableKey {
  const members = key.fields.map((field) => {
    const column = columns.get(field);
    if (column === undefined) throw new Error(`${model.name}: the columns do not include the field "${field}" of a unique key.`);
    return column.kind === "text"
      ? textMember(model, field, key.fold === true)
      : { field, kind: column.kind, quoted: column.stored, encode: column.encode };
  });
  return {
    fields: key.fields,
    columns: members.map(({ quoted }) => quoted),
    kinds: members.map(({ kind }) => kind),
    valuesOf(row) {
      const values = members.map(({ field, encode }) => encode(readField(row, field)));
      return values.includes(null) ? undefined : values;
    },
  };
}

function textMember(model: CollectionModel, field: string, folded: boolean) {
  const encode = (value: unknown): unknown => {
    if (typeof value !== "string") return null;
    return folded ? fold(value) : value.normalize("NFC");
  };
  return { field, kind: "text" as const, quoted: quoteIdentifier((folded ? foldName : normalName)(storedPath(model, [field]))), encode };
}
