import type { CollectionModel, UniqueKey } from "../../../../src/ground/storage/model.js";
import { fold } from "../../../../src/ground/storage/values/fold.js";
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
  /** Its text fields. */
  readonly texts: readonly KeyText[];
  /** The values of a row in the index; `undefined` if one is null, so that the row cannot conflict. */
  valuesOf(row: Values): readonly unknown[] | undefined;
}

/** A text field of a unique key, and its shadow column. */
export interface KeyText {
  readonly field: string;
  readonly name: string;
  readonly quoted: string;
  /** Makes the value of the shadow column from that of the field. */
  encode(value: unknown): unknown;
}

/** The id as a unique key. */
export function idKey({ id: { name, quoted, kind, encode }, model }: Pick<Table, "id" | "model">): TableKey {
  return { fields: model.idParts ?? [name], columns: [quoted], kinds: [kind], texts: [], valuesOf: (row) => [encode(readField(row, name))] };
}

/** Whether two lists name the same fields, in any order. */
export function sameFields(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((field) => right.includes(field));
}

/** @throws {Error} when a field of the key is not a column */
export function compileKey(model: CollectionModel, key: UniqueKey, columns: ReadonlyMap<string, OwnColumn>): TableKey {
  const texts: KeyText[] = [];
  const members = key.fields.map((field) => {
    const column = columns.get(field);
    if (column === undefined) throw new Error(`${model.name}: the columns do not include the field "${field}" of a unique key.`);
    const { kind, stored, encode } = column;
    if (kind !== "text") return { field, kind, quoted: stored, encode };
    const text = keyText(model, field, key.fold === true);
    texts.push(text);
    return { ...text, kind };
  });
  return {
    fields: key.fields,
    columns: members.map(({ quoted }) => quoted),
    kinds: members.map(({ kind }) => kind),
    texts,
    valuesOf(row) {
      const values = members.map(({ field, encode }) => encode(readField(row, field)));
      return values.includes(null) ? undefined : values;
    },
  };
}

function keyText(model: CollectionModel, field: string, folded: boolean): KeyText {
  const name = (folded ? foldName : normalName)(storedPath(model, [field]));
  const encode = (value: unknown): unknown => {
    if (typeof value !== "string") return null;
    return folded ? fold(value) : value.normalize("NFC");
  };
  return { field, name, quoted: quoteIdentifier(name), encode };
}
