import type { FieldModel } from "../../schema/field.js";
import type { Path } from "../../storage/scalar.js";

/** Every operator, in the order in which errors list them. */
export const operators = ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "like", "all", "exists"] as const;

/** `nin`, `all` and `exists` are ours; the others are the usual words. */
export type Operator = (typeof operators)[number];

const equality = ["eq", "ne", "in", "nin", "exists"] as const;
const order = ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "exists"] as const;
const text = ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "like", "exists"] as const;
const list = ["eq", "ne", "in", "nin", "all", "exists"] as const;
const presence = ["exists"] as const;

/** The operators that the type of a field allows. */
export function operatorsOf(field: FieldModel, path: Path): readonly Operator[] {
  switch (field.kind) {
    case "text":
      return text;
    case "int":
    case "number":
    case "date":
    case "datetime":
      return order;
    case "bigint":
    case "decimal":
      // Inside JSON they are stored as their digits, which do not sort as numbers.
      return path.length === 1 ? order : equality;
    case "enum":
    case "uuid":
    case "boolean":
      return equality;
    case "array":
      return field.element !== undefined && isScalar(field.element) ? list : presence;
    case "union":
      return isScalar(field) ? equality : presence;
    default:
      return presence;
  }
}

/** Whether the values of a field have the same order on every engine. */
export function isSortable({ kind, values = [] }: FieldModel, path: Path): boolean {
  switch (kind) {
    case "text":
    case "uuid":
    case "int":
    case "number":
    case "boolean":
    case "date":
    case "datetime":
      return true;
    case "bigint":
    case "decimal":
      return path.length === 1;
    case "enum":
      return new Set(values.map((value) => typeof value)).size === 1;
    default:
      return false;
  }
}

/** Whether a query value can be a value of the field. */
export function isScalar({ kind, members = [] }: FieldModel): boolean {
  return kind === "union" ? members.every(isScalar) : scalars.has(kind);
}

const scalars = new Set<FieldModel["kind"]>(["text", "uuid", "enum", "int", "number", "bigint", "decimal", "boolean", "date", "datetime"]);

/** Whether every text can be a value of the field: then a value may contain a comma or be empty. */
export function holdsText({ kind, members = [] }: FieldModel): boolean {
  return kind === "text" || (kind === "union" && members.some(holdsText));
}

export function isOperator(text: string): text is Operator {
  return (operators as readonly string[]).includes(text);
}

/** Operators whose value is a list. */
export function isList(operator: Operator): boolean {
  return operator === "in" || operator === "nin" || operator === "all";
}

/** Operators that compare with any of a list. */
export function takesList(operator: Operator): boolean {
  return operator === "eq" || operator === "ne" || operator === "in" || operator === "nin";
}

/** Operators that compare with one end of a range. */
export function isRange(operator: Operator): operator is "gt" | "gte" | "lt" | "lte" {
  return operator === "gt" || operator === "gte" || operator === "lt" || operator === "lte";
}
