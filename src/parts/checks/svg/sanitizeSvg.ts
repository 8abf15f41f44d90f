import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { optionalPackage } from "../../../ground/options/optionalPackage.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { SvgWriter } from "./svgWriter.js";

const charactersATurn = 65_536;
const maxDepth = 256;
const maxElements = 500_000;
/** The public identifier that many programs write, without definitions. It is dropped. */
const ownType = /^\s*svg\s+PUBLIC\s+"-\/\/W3C\/\/DTD SVG [^"]*"\s+"https?:\/\/www\.w3\.org\/[^"]*"\s*$/;

/**
 * A drawing without scripts, event handlers, foreign elements, style sheets that load something, and external references. It is rewritten from a list of
 * allowed elements and attributes.
 *
 * @throws {ProblemError} SVG_INVALID if it is not well-formed XML, has a document type with definitions or another encoding than UTF-8, or nothing visible is left
 * @throws {ConfigurationError} if the package `saxes` is not installed
 */
export async function sanitizeSvg(bytes: Uint8Array, signal: AbortSignal = new AbortController().signal): Promise<Uint8Array> {
  const text = decode(bytes);
  const writer = new SvgWriter();
  const parser = await startParser(writer);
  for (let start = 0; start < text.length; start += charactersATurn) {
    parser.write(text.slice(start, start + charactersATurn));
    await yieldToEventLoop(signal);
  }
  parser.close();
  if (writer.isEmptied) throw invalid("Without its scripts and external references the drawing is empty.");
  return Buffer.from(writer.toString());
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("The file is not UTF-8.");
  }
}

interface Parser {
  write(text: string): unknown;
  close(): unknown;
}

async function startParser(writer: SvgWriter): Promise<Parser> {
  const { SaxesParser } = await loadSaxes();
  const parser = new SaxesParser({ xmlns: true, position: false });
  let elements = 0;
  parser.on("error", ({ message }) => {
    throw invalid(`The file is not well-formed XML: ${message}`);
  });
  parser.on("doctype", (type) => {
    if (!ownType.test(type)) throw invalid("The file has a document type other than that of SVG; it could define entities.");
  });
  parser.on("xmldecl", ({ version, encoding = "utf-8" }) => {
    if (version !== "1.0" || !/^(?:utf-8|us-ascii)$/i.test(encoding)) throw invalid("The file is not XML 1.0 in UTF-8.");
  });
  parser.on("opentag", (tag) => {
    if (writer.depth === 0 && (tag.local !== "svg" || tag.uri !== "http://www.w3.org/2000/svg"))
      throw invalid("The root element of the file is not an svg element of SVG.");
    if (writer.depth >= maxDepth) throw invalid(`Elements are nested more than ${maxDepth} deep.`);
    elements += 1;
    if (elements > maxElements) throw invalid(`There are more than ${maxElements} elements.`);
    writer.begin(tag);
  });
  parser.on("closetag", () => writer.end());
  parser.on("text", (text) => writer.text(text));
  parser.on("cdata", (text) => writer.text(text));
  return parser;
}

const loadSaxes = /* @__PURE__ */ optionalPackage(() => import("saxes"), { name: "saxes", version: "6", neededBy: "sanitizeSvg" });

function invalid(detail: string): ProblemError {
  return new ProblemError("SVG_INVALID", detail);
}
