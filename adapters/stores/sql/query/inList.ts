import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";
import type { Table, TableColumn } from "../schema/table.js";
import { instantSpan } from "./instantSpan.js";
import { guarded, type Sides, writeMissing, writeSides } from "./sides.js";

/** Longer lists are bound as one JSON parameter: engines limit the number of parameters. */
const maxParameters = 50;

/** Writes the condition "the value is one of these". A null in the list matches null and missing values. */
/** @param writeEqual writes the condition for one value, for columns where a value stands for several */
export function writeIn(path: Path, values: readonly Scalar[], table: Table, bindings: Bindings, writeEqual: (value: Scalar) => string): string {
  const conditions = writeMembers(path, values, table, bindings, writeEqual);
  if (values.includes(null)) conditions.push(writeMissing(table, path));
  if (conditions.length === 0) return "false";
  return conditions.length === 1 ? conditions.join() : `(${conditions.join(" or ")})`;
}

function writeMembers(path: Path, values: readonly Scalar[], table: Table, bindings: Bindings, writeEqual: (value: Scalar) => string): string[] {
  const { column } = table.at(path);
  if (column.listed !== undefined) return [column.listed(values, bindings)];
  if (values.some((value) => instantSpan(path, value, table) !== undefined)) return values.filter((value) => value !== null).map(writeEqual);
  return values.length > maxParameters ? writeLong(path, values, table, bindings) : writeShort(path, values, table, bindings);
}

/** Writes one list for each type among the values, because a value inside JSON may have any type. */
function writeShort(path: Path, values: readonly Scalar[], table: Table, bindings: Bindings): string[] {
  const lists = new Map<string, { readonly sides: Sides; readonly parameters: string[] }>();
  for (const value of values.toSorted((left, right) => typeRank(left) - typeRank(right))) {
    const sides = writeSides(path, value, table, bindings);
    if (sides === undefined) continue;
    const list = lists.get(sides.typed);
    if (list === undefined) lists.set(sides.typed, { sides, parameters: [sides.parameter] });
    else list.parameters.push(sides.parameter);
  }
  return [...lists.values()].map(({ sides, parameters }) => guarded(sides, `${sides.expression} in (${parameters.join(", ")})`));
}

/** Sorts values by type: values that share an expression must be bound next to each other. */
function typeRank(value: Scalar): number {
  if (typeof value === "boolean") return 0;
  return typeof value === "number" || typeof value === "bigint" ? 1 : 2;
}

function writeLong(path: Path, values: readonly Scalar[], table: Table, bindings: Bindings): string[] {
  const { column, keys } = table.at(path);
  const { kind } = column;
  if (kind === "text" && keys.length === 0)
    return [
      writeList(
        column,
        kind,
        values.filter((value) => typeof value === "string"),
        bindings,
      ),
    ];
  if ((kind === "int" || kind === "bigint") && keys.length === 0) return [writeList(column, "int", values.filter(isInt64), bindings)];
  return writeShort(path, values, table, bindings);
}

function writeList(column: TableColumn, kind: "text" | "int", values: readonly (string | number | bigint)[], bindings: Bindings): string {
  const { item, quoted } = column;
  const held = item === undefined ? values : values.filter((value) => column.accepts(value));
  const items = held.map((value) => (typeof value === "bigint" ? value.toString() : JSON.stringify(value)));
  const list = bindings.dialect.list(kind, bindings.bind(`[${items.join(",")}]`));
  return `${quoted} in (${item === undefined ? list : `select ${item("item")} from (${list}) as listed`})`;
}

/** Whether an integer column could hold the value. */
export function isInt64(value: Scalar): value is number | bigint {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return typeof value === "number" && Number.isSafeInteger(value);
}
