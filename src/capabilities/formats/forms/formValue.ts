import type { DescribedRows } from "../../../engine/operation/answers/answerFormat.js";
import type { FieldModel } from "../../../language/schema/field.js";
import { malformedBody } from "../checkBody.js";
import { emptyValue, memberOf, readScalar, structured } from "../readScalar.js";
import type { FormTree, FormValues } from "./formTree.js";

type Path = readonly (string | number)[];

/**
 * Converts the fields of a form to the JSON value that a client could have sent instead. In a form everything is text: the schema's types decide what it means.
 *
 * @throws {ProblemError} MALFORMED_FORM for a repeated value that is not an array
 */
export function formValue(tree: FormTree, { fields }: DescribedRows): Record<string, unknown> {
  return membersOf(tree, (name) => fields.get(name), []);
}

function membersOf(tree: FormTree, modelOf: (name: string) => FieldModel | undefined, path: Path): Record<string, unknown> {
  const members: [string, unknown][] = [];
  for (const [name, node] of tree) {
    const value = nodeValue(node, modelOf(name), [...path, name]);
    if (value !== undefined) members.push([name, value]);
  }
  // Defines members, so that none changes the prototype.
  return Object.fromEntries(members);
}

function nodeValue(node: FormTree | FormValues, field: FieldModel | undefined, path: Path): unknown {
  if (!(node instanceof Map)) return ofValues(node, field, path);
  const array = structured(field, "array");
  const elements = array?.kind === "array" ? elementsOf(node) : undefined;
  if (elements !== undefined) return elements.map((element, index) => nodeValue(element, array?.element, [...path, index]));
  const object = structured(field, "object");
  return membersOf(node, (name) => memberOf(object, name), path);
}

/** The nodes `[0]`, `[1]`, … in their order; `undefined` if one is missing or has another name. */
function elementsOf(tree: FormTree): (FormTree | FormValues)[] | undefined {
  const elements: (FormTree | FormValues)[] = [];
  for (let index = 0; index < tree.size; index++) {
    const element = tree.get(String(index));
    if (element === undefined) return undefined;
    elements.push(element);
  }
  return elements;
}

function ofValues({ values, isList }: FormValues, field: FieldModel | undefined, path: Path): unknown {
  const array = structured(field, "array");
  const isMany = isList || values.length > 1;
  if (array?.kind === "array") {
    // A form cannot send an empty array; an empty value stands for it.
    if (!isMany && values[0] === "") return [];
    const [only] = values;
    if (!isMany && field?.kind === "union" && typeof only === "string") return ofText(only, field);
    if (!isMany && Array.isArray(only)) return ofParsed(only, array, path);
    return values.map((value, index) => ofParsed(value, array.element, [...path, index], "keep"));
  }
  const takesAny = field === undefined || field.kind === "unknown";
  if (values.length > 1 && !takesAny) {
    throw malformedBody("MALFORMED_FORM", `"${String(path.at(-1)).slice(0, 64)}" is sent ${values.length} times, and takes one value.`, path);
  }
  if (isMany) return values.map((value, index) => ofParsed(value, undefined, [...path, index]));
  return ofParsed(values[0], field, path);
}

/** A value, which may be nested if a body parser of the host has made it. */
function ofParsed(value: unknown, field: FieldModel | undefined, path: Path, empty?: "keep"): unknown {
  if (typeof value === "string") return empty === "keep" && value === "" ? "" : ofText(value, field);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return ofValues({ values: value, isList: structured(field, "array")?.kind === "array" }, field, path);
  const tree: FormTree = new Map(Object.entries(value).map(([name, member]) => [name, { values: [member], isList: false }]));
  return nodeValue(tree, field, path);
}

function ofText(text: string, field: FieldModel | undefined): unknown {
  if (text === "") return emptyValue(field);
  return field?.kind === "boolean" && text === "on" ? true : readScalar(field, text);
}
