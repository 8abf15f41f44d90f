import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { optionalPackage } from "../../../ground/options/optionalPackage.js";
import { malformedBody } from "../checkBody.js";
import { codeOf, scanXml, type XmlBounds } from "./scanXml.js";

/** An element of a document. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The elements in it, in their order. */
  readonly elements: readonly XmlElement[];
  /** The text in it, without that of its elements. */
  readonly text: string;
}

/** A node as the parser makes it: its name, and `:@` with its attributes. */
type ParsedNode = Readonly<Record<string, readonly ParsedNode[] | string | Readonly<Record<string, string>>>>;

/** Rejects with a ConfigurationError if the package is not installed. */
export const loadXmlParser = /* @__PURE__ */ optionalPackage(() => import("fast-xml-parser"), {
  name: "fast-xml-parser",
  version: "5",
  neededBy: "xml",
});

const cdata = "#cdata";
const textName = "#text";

/** Entities are not processed by the parser: those that {@link scanXml} lets through are decoded here. */
const parserOptions = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  ignoreDeclaration: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  textNodeName: textName,
  cdataPropName: cdata,
  onDangerousProperty: (name: string) => name,
} as const;

/**
 * Parses a document with `fast-xml-parser`, after it has been checked.
 *
 * @throws {ProblemError} MALFORMED_XML, UNSUPPORTED_MEDIA_TYPE
 */
export async function parseXml(text: string, bounds: XmlBounds): Promise<XmlElement> {
  scanXml(text, bounds);
  const { XMLParser } = await loadXmlParser();
  await yieldToEventLoop();
  let nodes: readonly ParsedNode[];
  try {
    nodes = new XMLParser({ ...parserOptions, maxNestedTags: bounds.maxDepth + 1 }).parse(text);
  } catch (error) {
    throw malformedBody("MALFORMED_XML", "The document cannot be parsed.", [], error);
  }
  await yieldToEventLoop();
  const [root] = elementOf("", undefined, nodes).elements;
  if (root === undefined) throw malformedBody("MALFORMED_XML", "There is no root element.");
  return root;
}

function elementOf(name: string, attributes: ParsedNode[string] | undefined, nodes: readonly ParsedNode[]): XmlElement {
  const elements: XmlElement[] = [];
  let text = "";
  for (const node of nodes) {
    const key = Object.keys(node).find((each) => each !== ":@") ?? textName;
    const content = node[key];
    if (key === textName) text += decode(String(content));
    else if (key === cdata) text += (content as readonly ParsedNode[]).map((part) => String(part[textName] ?? "")).join("");
    else elements.push(elementOf(key, node[":@"], content as readonly ParsedNode[]));
  }
  return { name, attributes: decodedAttributes(attributes), elements, text };
}

const noAttributes = {};

function decodedAttributes(attributes: ParsedNode[string] | undefined): Readonly<Record<string, string>> {
  if (attributes === undefined) return noAttributes;
  return Object.fromEntries(Object.entries(attributes as Readonly<Record<string, string>>).map(([name, value]) => [name, decode(String(value))]));
}

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&apos;": "'" };

function decode(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&[^;]+;/g, (found) => (found[1] === "#" ? String.fromCodePoint(codeOf(found)) : (entities[found] ?? found)));
}
