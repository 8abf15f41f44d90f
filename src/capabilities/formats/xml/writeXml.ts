import type { FieldModel } from "../../../language/schema/field.js";
import { memberOf, structured } from "../readScalar.js";
import { namePattern, schemaInstance, type ValueType, type XmlModel } from "./model.js";

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const plainName = new RegExp(`^(?!xml)${namePattern}$`, "i");
/** Names that parsers of JavaScript refuse. */
const unsafeNames: ReadonlySet<string> = new Set(["constructor", "prototype", "__proto__"]);

/** What XML 1.0 cannot hold. A surrogate pair is a character; half of one is not. @see https://www.w3.org/TR/xml/#charsets */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const notCharacters = /[\0-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

/** A document around elements that are written already. */
export function documentOf(root: string, content: string): string {
  return `${startOf(root)}${content}</${root}>`;
}

/** What a document with this root begins with. */
export function startOf(root: string): string {
  return `${declaration}<${root} xmlns:xsi="${schemaInstance}">`;
}

/** The members of an object as elements. */
export function writeMembers(value: Readonly<Record<string, unknown>>, modelOf: (name: string) => XmlModel | undefined): string {
  let text = "";
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) text += writeElement(name, member, modelOf(name));
  }
  return text;
}

/**
 * Writes a JSON value as an element. An array has an element `item` for each value. What the schema does not tell is told by attributes, so that every value can be
 * read back.
 */
export function writeElement(name: string, value: unknown, model: XmlModel | undefined): string {
  const isPlain = plainName.test(name) && !unsafeNames.has(name);
  const tag = isPlain ? name : "member";
  const open = isPlain ? `<${name}` : `<member name="${escapeAttribute(jsonText(name))}"`;
  if (value === null) return `${open} xsi:nil="true"/>`;
  const type = typeOf(value);
  const hint = isKnown(model, type) ? "" : ` type="${type}"`;
  if (type === "array") return `${open}${hint}>${writeItems(value as readonly unknown[], elementOf(model))}</${tag}>`;
  if (type === "object") {
    const object = structured(model as FieldModel | undefined, "object");
    return `${open}${hint}>${writeMembers(value as Readonly<Record<string, unknown>>, (member) => memberOf(object, member))}</${tag}>`;
  }
  const text = String(value);
  const isEncoded = type === "string" && !isWritable(text);
  return `${open}${hint}${isEncoded ? ' encoding="json"' : ""}>${escapeText(isEncoded ? jsonText(text) : text)}</${tag}>`;
}

/** The elements of an array. */
export function writeItems(values: readonly unknown[], model: XmlModel | undefined): string {
  let text = "";
  // An undefined element is null in JSON.
  for (const value of values) text += writeElement("item", value ?? null, model);
  return text;
}

function elementOf(model: XmlModel | undefined): FieldModel | undefined {
  return structured(model as FieldModel | undefined, "array")?.element;
}

function typeOf(value: unknown): ValueType {
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "number" || type === "boolean" || type === "object" ? type : "string";
}

/** Whether a reader who knows the schema reads the value with its type. */
function isKnown(model: XmlModel | undefined, type: ValueType): boolean {
  switch (model?.kind) {
    case undefined:
    case "unknown":
      return type === "string";
    case "int":
    case "number":
      return type === "number";
    case "boolean":
    case "array":
      return type === model.kind;
    case "object":
    case "record":
      return type === "object";
    case "union":
      return false;
    case "enum":
      return type === "string" && model.values?.every((value) => typeof value === "string") === true;
    default:
      return type === "string";
  }
}

function isWritable(text: string): boolean {
  return !notCharacters.test(text) && text.isWellFormed();
}

/** A text as JSON writes it between its quotes: with escapes for what XML cannot hold. */
function jsonText(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** A literal carriage return would be read as a line feed. */
function escapeText(text: string): string {
  return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, (character) => escapes[character] ?? "") : text;
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\r\n\t]/g, (character) => escapes[character] ?? "");
}
