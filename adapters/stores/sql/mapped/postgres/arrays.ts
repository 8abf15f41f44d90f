import type { MappedField } from "../../../../../src/ground/storage/model.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import type { CatalogColumn } from "../catalog.js";
import { type ColumnType, Unfit, Unreadable } from "../columnType.js";

/** A date without microseconds, as those in JSON are. */
const wholeDate = new Date(0);

/**
 * An array with one dimension, each element of which is read, written and compared as a column of its type is. A row has it as JSON.
 *
 * @param type of an element as a column
 * @param element what an element is to its field
 */
export function array(type: ColumnType, element: MappedField, { cast, elementCast }: CatalogColumn): ColumnType {
  const of = (select: string, items: string) => `array(select ${select} from ${items} with ordinality as item(value, place) order by place)`;
  const read = (column: string) => of(type.read("item.value"), `unnest(${column})`);
  return {
    place: (column) => `to_jsonb(${column})`,
    // Another number of dimensions stays visible.
    read: (column) =>
      `case when ${column} is not null then case when ${hasOneDimension(column)} then to_jsonb(${read(column)}) else to_jsonb(${column}) end::text end`,
    write: (parameter) =>
      `case when ${parameter}::text is not null then ${of(type.write("item.value"), `jsonb_array_elements_text(${parameter}::text::jsonb)`)}::${cast} end`,
    accepts: () => false,
    readable: (column) => readable(column, type, element),
    ...(type.unreadable && {
      unreadable: (column: string) => `exists (select from unnest(${column}) as item(value) where ${type.unreadable?.("item.value")})`,
    }),
    contains(column, value, bindings) {
      const wanted = elementValue(value, element);
      if (wanted === undefined || !type.accepts(wanted)) return "false";
      const parameter = (type.compare ?? type.write)(bindings.bind(type.encode(wanted)));
      // Unlike "= any", this searches a GIN index. A cast to an array of a domain would check its conditions.
      if (isSearchable(type))
        return `${isOfDomain(cast, elementCast) ? `${column}::${elementCast}[]` : column} @> array[${parameter}]::${elementCast}[]`;
      return `exists (select from unnest(${column}) as item(value) where ${equals(type, parameter)})`;
    },
    same: (column, written) => `(${column} is not null and not exists (select from ${pairs(column, written())} where ${differs(type)}))`,
    kept: (column, written) => keptElements(type, column, written),
    decode: (stored) => itemsOf(stored).map((item) => decodeItem(item, type, element)),
    encode(value) {
      if (!Array.isArray(value)) throw new Unfit("check");
      return JSON.stringify(value.map((item: unknown) => encodeItem(item, type, element)));
    },
  };
}

function hasOneDimension(column: string): string {
  return `coalesce(array_ndims(${column}), 1) = 1`;
}

function readable(column: string, type: ColumnType, { isNullable, isOptional }: MappedField): string {
  const faults = [...(isNullable || isOptional ? [] : ["item.value is null"]), ...(type.readable ? [`not ${type.readable("item.value")}`] : [])];
  if (faults.length === 0) return hasOneDimension(column);
  return `(${hasOneDimension(column)} and not exists (select from unnest(${column}) as item(value) where ${faults.join(" or ")}))`;
}

/** Whether equal values are equal to the engine, as an index compares them. */
function isSearchable(type: ColumnType): boolean {
  return type.place("x") === "x" && type.isFine !== true;
}

function isOfDomain(cast: string, elementCast: string | undefined): boolean {
  return cast !== `${elementCast}[]`;
}

/** A date means its whole millisecond. */
function equals(type: ColumnType, parameter: string): string {
  return type.same?.("item.value", () => parameter, wholeDate) ?? `${type.place("item.value")} = ${parameter}`;
}

/** The elements of two arrays, side by side. */
function pairs(column: string, written: string): string {
  return `unnest(${column}) with ordinality as held(value, place) full join unnest(${written}) with ordinality as sent(value, place) using (place)`;
}

/** One of the two arrays may have no such element. */
function differs(type: ColumnType): string {
  // Values that are equal to the engine, such as those of citext, may be shown differently.
  const exact = type.text ?? type.read;
  const isSame = type.same?.("held.value", () => "sent.value", wholeDate) ?? `${exact("held.value")} = ${exact("sent.value")}`;
  return `held.place is null or sent.place is null or (held.value is null) <> (sent.value is null) or not (${isSame})`;
}

/** An element that is shown as it is written stays as it is, such as an instant with microseconds. */
function keptElements(type: ColumnType, column: string, written: string): string {
  const isSame = type.same?.("held.value", () => "sent.value", wholeDate);
  if (isSame === undefined) return written;
  const value = `case when ${isSame} then held.value else sent.value end`;
  return `case when ${written} is not null then array(select ${value} from ${pairs(column, written)} where sent.place is not null order by place) end`;
}

function itemsOf(stored: unknown): readonly unknown[] {
  return (typeof stored === "string" ? JSON.parse(stored) : stored) as readonly unknown[];
}

function decodeItem(item: unknown, type: ColumnType, { isNullable, isOptional, inJson }: MappedField): unknown {
  if (item === null) {
    if (isNullable || isOptional) return null;
    throw new Unreadable("an element is null; say .nullable() of the elements");
  }
  if (typeof item !== "string") throw new Unreadable("it has several dimensions");
  const value = type.decode(item);
  return inJson === undefined ? value : inJson.write(value);
}

function encodeItem(item: unknown, type: ColumnType, element: MappedField): string | null {
  if (item === null || item === undefined) return null;
  const value = elementValue(item as Scalar, element);
  if (value === undefined) throw new Unfit("check");
  return String(type.encode(value));
}

/** The value of a column that JSON stands for: an instant is text there, and a bigint its digits. */
function elementValue(item: Scalar, { inJson }: MappedField): Scalar | undefined {
  return inJson === undefined ? item : inJson.read(item);
}
