import type { DescribedRows } from "../../../engine/operation/answers/answerFormat.js";
import type { FieldModel } from "../../../language/schema/field.js";
import { readNumber } from "../../../language/schema/scalarText.js";
import { malformedBody } from "../checkBody.js";
import { memberOf, readScalar, structured } from "../readScalar.js";
import type { XmlElement } from "./parseXml.js";

type Path = readonly (string | number)[];

/**
 * Converts the root element to the JSON value that a client could have sent instead. The schema's types, and the attribute `type`, decide what a text means.
 *
 * @throws {ProblemError} MALFORMED_XML for a repeated member, for text beside elements, and for attributes with invalid values
 */
export function xmlValue(root: XmlElement, { fields }: DescribedRows): Record<string, unknown> {
  if (root.elements.length === 0 && root.text.trim() !== "") throw mixed([]);
  return membersOf(root, (name) => fields.get(name), []);
}

function membersOf({ elements, text }: XmlElement, modelOf: (name: string) => FieldModel | undefined, path: Path): Record<string, unknown> {
  if (elements.length > 0 && text.trim() !== "") throw mixed(path);
  const members = new Map<string, unknown>();
  for (const element of elements) {
    const name = nameOf(element, path);
    const place = [...path, name];
    if (members.has(name)) throw malformedBody("MALFORMED_XML", `<${name.slice(0, 64)}> is repeated; an array has elements <item>.`, place);
    members.set(name, nodeValue(element, modelOf(name), place));
  }
  // Defines members, so that none changes the prototype.
  return Object.fromEntries(members);
}

/** A member whose name is no name of XML has it in an attribute, as JSON writes it. */
function nameOf({ name, attributes }: XmlElement, path: Path): string {
  const given = attributes["name"];
  return given === undefined || name !== "member" ? name : jsonString(given, path);
}

function nodeValue(element: XmlElement, field: FieldModel | undefined, path: Path): unknown {
  const { elements, attributes, text } = element;
  const nil = attributes["xsi:nil"];
  if (nil === "true" || nil === "1") {
    if (elements.length > 0 || text.trim() !== "") throw malformedBody("MALFORMED_XML", "An element with xsi:nil is empty.", path);
    return null;
  }
  const type = typeOf(attributes["type"], path);
  const array = structured(field, "array");
  const object = structured(field, "object");
  const isArray = type === "array" || (type === undefined && (array?.kind === "array" || (object?.children === undefined && isList(elements))));
  if (isArray && elements.every(({ name }) => name === "item") && (elements.length > 0 || text.trim() === "")) {
    if (text.trim() !== "") throw mixed(path);
    return elements.map((each, index) => nodeValue(each, array?.element, [...path, index]));
  }
  const isEmptyObject = elements.length === 0 && text.trim() === "" && (type === "object" || field?.kind === "object" || field?.kind === "record");
  if (elements.length > 0 || isEmptyObject) return membersOf(element, (name) => memberOf(object, name), path);
  if (attributes["encoding"] === "json") return jsonString(text, path);
  return type === undefined ? readScalar(field, text) : typed(text, type);
}

/** Without a schema and a type, several elements `item` are an array. */
function isList(elements: readonly XmlElement[]): boolean {
  return elements.length > 1 && elements.every(({ name }) => name === "item");
}

const types = ["string", "number", "boolean", "array", "object"] as const;

function typeOf(type: string | undefined, path: Path): (typeof types)[number] | undefined {
  const known = types.find((each) => each === type);
  if (type !== undefined && known === undefined) {
    throw malformedBody("MALFORMED_XML", `"${type.slice(0, 64)}" is not a type; allowed: ${types.join(", ")}.`, path);
  }
  return known;
}

function typed(text: string, type: (typeof types)[number]): unknown {
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return readNumber(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function jsonString(text: string, path: Path): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch (error) {
    throw malformedBody("MALFORMED_XML", "This is not the content of a JSON string.", path, error);
  }
}

function mixed(path: Path) {
  return malformedBody("MALFORMED_XML", "There is text beside elements.", path);
}
