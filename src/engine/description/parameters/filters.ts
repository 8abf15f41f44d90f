import type { QueryField } from "../../../language/query/conditions/field.js";
import { type Operator, takes } from "../../../language/query/conditions/operator.js";
import type { QueryTable } from "../../../language/query/table.js";
import type { DescribedParameter, JsonSchema } from "../../operation/description.js";
import type { LinkedResource } from "../../resource/relations/link.js";
import type { Components } from "../components.js";
import type { Describing } from "../describing.js";
import { pascalCase } from "../schemaNames.js";
import { fieldSchema } from "../schemas/fieldSchema.js";
import { kindSchema } from "../schemas/kindSchema.js";
import { arrayOf, instant, text } from "../schemas/object.js";

/** A parameter for each path that a list can be filtered by, and for the names of ranges. */
export function filterParameters(describing: Describing, linked: LinkedResource): readonly DescribedParameter[] {
  const { table } = linked;
  return describing.components.once(table, "filters", () => {
    const paths = filterable(describing, table).flatMap(([name, field]): readonly DescribedParameter[] =>
      describing.filters === "flat" ? flatParameters(describing, table, name, field) : [deepParameter(describing, name, field)],
    );
    return [...paths, ...rangeParameters(describing, table)];
  });
}

/** `total=5`, or an object in brackets: `total[gte]=5`. Where only the object is allowed, it has an empty example: Swagger UI would fill in a condition. */
function deepParameter(describing: Describing, name: string, field: QueryField): DescribedParameter {
  const hasValue = field.operators.includes("eq");
  return { name, schema: filterSchema(describing, field), style: "deepObject", explode: true, ...(!hasValue && { example: {} }) };
}

const flatOperators = ["gte", "lte", "in", "like"] as const;

/** `total=5`, `total__gte=5`: a parameter for each of the usual operators. */
function flatParameters({ components }: Describing, { keys }: QueryTable, name: string, field: QueryField): readonly DescribedParameter[] {
  const value = operandSchema(field.leaf, components, field.field.kind === "array");
  const operators = flatOperators.filter((operator) => field.operators.includes(operator) && keys.has(`${name}__${operator}`));
  return [
    ...(field.operators.includes("eq") ? [{ name, schema: value }] : []),
    ...operators.map((operator) => ({ name: `${name}__${operator}`, ...flatOperand(operator, value) })),
  ];
}

function flatOperand(operator: (typeof flatOperators)[number], value: JsonSchema): Omit<DescribedParameter, "name"> {
  if (takes(operator, "alternatives")) return { schema: arrayOf(value), style: "form", explode: false };
  return { schema: conditionSchema(operator, value) };
}

/** The fields that the caller may know of, each with the name that a filter has for it. */
export function filterable({ gate }: Describing, table: QueryTable): readonly (readonly [string, QueryField])[] {
  return [...table.fields.values()].flatMap((field) => {
    if (field.operators.length === 0 || gate(field.root, "filter") === "hidden") return [];
    const name = spellingOf(table, field);
    return name === undefined ? [] : [[name, field] as const];
  });
}

/** A field that is called like a word of the language has another name in queries. */
function spellingOf({ spellings }: QueryTable, field: QueryField): string | undefined {
  if (spellings.get(field.key)?.field === field) return field.key;
  return [...spellings].find(([, key]) => key.field === field)?.[0];
}

/** `total=5` and `total[gte]=5`: fields of one type with the same operators have one schema. */
function filterSchema({ components }: Describing, { field, leaf, operators }: QueryField): JsonSchema {
  const value = operandSchema(leaf, components, field.kind === "array");
  const members = operators.map((operator) => [operator, conditionSchema(operator, value)] as const);
  const hasLists = operators.some((operator) => takes(operator, "alternatives", "every")) && { description: "Lists are separated by commas." };
  const conditions = { type: "object", ...hasLists, additionalProperties: false, properties: Object.fromEntries(members) };
  const values = (value["anyOf"] as readonly JsonSchema[] | undefined) ?? [value];
  const schema = operators.includes("eq") ? { anyOf: [...values, conditions] } : conditions;
  return { ...components.numbered(`Filter${pascalCase(String(values[0]?.["format"] ?? leaf.kind))}`, schema) };
}

/** What is written after an operator: a value, or the text of a list or of a pattern, which may have stars. */
function conditionSchema(operator: Operator, value: JsonSchema): JsonSchema {
  if (takes(operator, "presence")) return { type: "boolean" };
  return takes(operator, "alternatives", "every", "pattern") ? { ...text, minLength: 1 } : value;
}

/** @param inArray whether the value is compared with those of an array, where no day stands for its instants */
function operandSchema(leaf: QueryField["leaf"], components: Components, inArray: boolean): JsonSchema {
  if (leaf.kind === "datetime" && !inArray) return { anyOf: [instant, { type: "string", format: "date" }] };
  if (leaf.kind === "array" || leaf.kind === "object" || leaf.kind === "record" || leaf.kind === "unknown") return { type: "string" };
  const schema = kindSchema({ ...leaf, nullable: false });
  // Values of a condition are checked by the format of their field, and by nothing else that the field says.
  const { format } = leaf.formatPattern === undefined ? schema : fieldSchema(leaf, "input", components, "");
  return format === undefined ? schema : { ...schema, format };
}

function rangeParameters({ gate, components }: Describing, { keys, spellings }: QueryTable): readonly DescribedParameter[] {
  return [...keys].flatMap(([name, key]) => {
    if (key.kind !== "filter" || (key.operator !== "gte" && key.operator !== "lte") || /[[\]]|__/.test(name) || spellings.has(name)) return [];
    if (gate(key.field.root, "filter") === "hidden") return [];
    return [{ name, text: `The same as \`${key.field.key}[${key.operator}]\`.`, schema: operandSchema(key.field.leaf, components, false) }];
  });
}
