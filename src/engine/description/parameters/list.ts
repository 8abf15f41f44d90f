import type { DescribedParameter, JsonSchema } from "../../operation/description.js";
import type { LinkedResource } from "../../resource/relations/link.js";
import type { Describing } from "../describing.js";
import { pascalCase } from "../schemaNames.js";
import { filterable, filterParameters } from "./filters.js";

/** The parameters of a list: filters, order, page, and what each row shows. */
export function listParameters(describing: Describing, linked: LinkedResource): readonly DescribedParameter[] {
  return describing.components.once(linked, "list", () => [
    ...filterParameters(describing, linked),
    ...presenceParameter(describing, linked),
    ...searchParameter(linked),
    ...deletedParameter(linked),
    ...sortParameter(describing, linked),
    ...pageParameters(describing),
    ...selectionParameters(describing, linked),
  ]);
}

/** `fields`, `exclude` and `include`. */
export function selectionParameters(describing: Describing, linked: LinkedResource): readonly DescribedParameter[] {
  return describing.components.once(linked, "selection", () => makeSelection(describing, linked));
}

function makeSelection(describing: Describing, linked: LinkedResource): readonly DescribedParameter[] {
  const { gate, components, names } = describing;
  const readable = [...linked.fields.values()].filter((field) => gate(field, "read") !== "hidden").map(({ name }) => name);
  const fieldName = components.ref("schemas", `${names.of(linked.name)}FieldName`, () => ({
    type: "string",
    description: `The name of a field, or of its members with dots: ${readable.join(", ")}.`,
  }));
  const relations = [...linked.relations.values()].filter(({ key }) => gate(key, "read") !== "hidden").map(({ name }) => name);
  return [
    list("fields", { ...fieldName }, "Only these fields; the others are left out of each row."),
    list("exclude", { ...fieldName }, "All fields but these."),
    ...(relations.length === 0
      ? []
      : [list("include", { type: "string" }, `Related rows beside each row: ${relations.join(", ")}, and theirs with dots.`)]),
  ];
}

/** Values joined by commas. Generators look for the array in the parameter itself, and repeat the parameter if they find a reference. */
function list(name: string, items: JsonSchema, text: string, more: JsonSchema = {}): DescribedParameter {
  return { name, text, schema: { type: "array", items, ...more }, style: "form", explode: false };
}

function presenceParameter(describing: Describing, { table }: LinkedResource): readonly DescribedParameter[] {
  const names = filterable(describing, table).flatMap(([, field]) => (field.operators.includes("exists") ? [field.key] : []));
  if (names.length === 0) return [];
  return [list("has", namesOf(describing, table.collection, "PresentField", names), "Only rows with a value in each of these fields.")];
}

function searchParameter({ table }: LinkedResource): readonly DescribedParameter[] {
  if (table.searchable.length === 0) return [];
  return [{ name: "q", text: "Only rows in which each of these words occurs, in any searchable field.", schema: { type: "string" } }];
}

function deletedParameter({ table }: LinkedResource): readonly DescribedParameter[] {
  if (!table.keys.has("deleted")) return [];
  return [{ name: "deleted", text: "Deleted rows: alone, or with the others.", schema: { enum: ["only", "with"] } }];
}

function sortParameter(describing: Describing, { table }: LinkedResource): readonly DescribedParameter[] {
  const { gate, environment } = describing;
  const names = [...table.fields.values()].filter((field) => field.sortable && gate(field.root, "sort") !== "hidden").map(({ key }) => key);
  if (names.length === 0) return [];
  const schema = namesOf(
    describing,
    table.collection,
    "SortKey",
    names.flatMap((name) => [name, `-${name}`]),
  );
  return [list("sort", schema, "The order; `-` sorts descending.", { maxItems: environment.lists.query.limits.sortKeys })];
}

function namesOf({ components, names }: Describing, collection: string, suffix: string, values: readonly string[]): JsonSchema {
  return {
    ...components.ref("schemas", `${names.of(collection)}${pascalCase(suffix)}`, () => ({ type: "string", enum: values })),
  };
}

function pageParameters({ environment: { limits } }: Describing): readonly DescribedParameter[] {
  return [
    { name: "page", text: "The number of the page, from 1. Not with `cursor`.", schema: { type: "integer", minimum: 1, default: 1 } },
    { name: "perPage", text: "Rows of a page.", schema: { type: "integer", minimum: 1, maximum: limits.maxPerPage, default: limits.perPage } },
    { name: "cursor", text: "`meta.nextCursor` or `meta.prevCursor` of the page before. Not with `page`.", schema: { type: "string" } },
    { name: "count", text: "How the total is counted.", schema: { enum: ["estimated", "exact", "none"], default: "estimated" } },
  ];
}
