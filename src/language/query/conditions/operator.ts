import type { Path } from "../../../ground/storage/values/scalar.js";
import type { FieldModel } from "../../schema/field.js";

/** What a field is to operators: texts, other values with an order, values without one, an array of values, or anything else. */
type Operand = "text" | "ordered" | "unordered" | "array" | "opaque";

/**
 * What is written after an operator: one value or a list of alternatives, such a list, a list of which a row has every one, the end of a range, a pattern, or true
 * or false.
 */
type Form = "value" | "alternatives" | "every" | "bound" | "pattern" | "presence";

interface OperatorRow {
  /** The fields that have the operator. */
  readonly on: readonly Operand[];
  readonly takes: Form;
  /** Whether it finds the rows that another operator does not: then also those without a value. */
  readonly isNegation?: true;
}

/**
 * Every operator, in the order in which errors list them. Query strings, JSON filters, types and the OpenAPI document read this table. What an operator
 * does has a table in `condition.ts`, and for the data of events one in `filterCondition.ts`; the client, which has nothing of the service, has their names. The
 * compiler finds what a table lacks.
 */
export const operatorTable = {
  eq: { on: ["text", "ordered", "unordered", "array"], takes: "value" },
  ne: { on: ["text", "ordered", "unordered", "array"], takes: "value", isNegation: true },
  in: { on: ["text", "ordered", "unordered", "array"], takes: "alternatives" },
  nin: { on: ["text", "ordered", "unordered", "array"], takes: "alternatives", isNegation: true },
  gt: { on: ["text", "ordered"], takes: "bound" },
  gte: { on: ["text", "ordered"], takes: "bound" },
  lt: { on: ["text", "ordered"], takes: "bound" },
  lte: { on: ["text", "ordered"], takes: "bound" },
  like: { on: ["text"], takes: "pattern" },
  all: { on: ["array"], takes: "every" },
  exists: { on: ["text", "ordered", "unordered", "array", "opaque"], takes: "presence" },
} as const satisfies Record<string, OperatorRow>;

type Table = typeof operatorTable;

/** `nin`, `all` and `exists` are ours; the others are the usual words. */
export type Operator = keyof Table;

/** The operators after which a form is written. */
export type OperatorTaking<F extends Form> = { [O in Operator]: Table[O]["takes"] extends F ? O : never }[Operator];

/** The operators of a kind of fields. */
export type OperatorOn<T extends Operand> = { [O in Operator]: T extends Table[O]["on"][number] ? O : never }[Operator];

export const operators = /* @__PURE__ */ Object.keys(operatorTable) as readonly Operator[];

/** Whether one of the forms is written after the operator. */
export function takes<F extends Form>(operator: Operator, ...forms: readonly F[]): operator is OperatorTaking<F> {
  return (forms as readonly Form[]).includes(operatorTable[operator].takes);
}

export function isNegation(operator: Operator): boolean {
  return "isNegation" in operatorTable[operator];
}

/** The operators that the type of a field allows. */
export function operatorsOf(field: FieldModel, path: Path): readonly Operator[] {
  const operand = operandOf(field, path);
  return operators.filter((operator) => (operatorTable[operator].on as readonly Operand[]).includes(operand));
}

function operandOf(field: FieldModel, path: Path): Operand {
  switch (field.kind) {
    case "text":
      return "text";
    case "int":
    case "number":
    case "date":
    case "datetime":
      return "ordered";
    case "bigint":
    case "decimal":
      // Inside JSON they are stored as their digits, which do not sort as numbers.
      return path.length === 1 ? "ordered" : "unordered";
    case "enum":
    case "uuid":
    case "boolean":
      return "unordered";
    case "array":
      return field.element !== undefined && isScalar(field.element) ? "array" : "opaque";
    case "union":
      return isScalar(field) ? "unordered" : "opaque";
    default:
      return "opaque";
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
  return Object.hasOwn(operatorTable, text);
}
