import { ProblemError } from "../../../ground/problem/index.js";
import { malformedBody } from "../checkBody.js";
import { namePattern } from "./model.js";

/** Bounds of a document. */
export interface XmlBounds {
  /** Comments and CDATA sections count too. */
  readonly maxElements: number;
  readonly maxDepth: number;
}

/** The attributes that have a meaning. Others could be data, which would be lost. */
const attributeNames = /^(?:xmlns(?::.+)?|xsi:.+|type|name|encoding)$/;
/** Attributes of one element. */
const maxAttributes = 16;

const declaration =
  /<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.\d"|'1\.\d')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][\w.-]*)["'])?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*["'](?:yes|no)["'])?[ \t\r\n]*\?>/y;
const attribute = `[ \\t\\r\\n]+(?:${namePattern}:)?${namePattern}[ \\t\\r\\n]*=[ \\t\\r\\n]*(?:"[^<"]*"|'[^<']*')`;
const startTag = new RegExp(`<(${namePattern})((?:${attribute})*)[ \\t\\r\\n]*(/?)>`, "y");
const endTag = new RegExp(`</(${namePattern})[ \\t\\r\\n]*>`, "y");
const eachAttribute = /[ \t\r\n]+([^ \t\r\n=]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^<"]*)"|'([^<']*)')/g;
const reference = /&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[\dA-Fa-f]{1,6});/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const notCharacters = /[\0-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;
const blank = /^[ \t\r\n]*$/;

/**
 * Checks before it is parsed that a document is well-formed, small and harmless: no DOCTYPE, no entities but the five of XML and those of characters, no
 * processing instructions, no prefixes of elements. A parser that repairs or expands would see nothing to repair or to expand.
 *
 * @throws {ProblemError} MALFORMED_XML, UNSUPPORTED_MEDIA_TYPE for another encoding than UTF-8
 * @see https://www.w3.org/TR/xml/
 */
export function scanXml(text: string, bounds: XmlBounds): void {
  if (notCharacters.test(text)) throw refused("The document has a character that XML does not allow.");
  const open: string[] = [];
  let parts = 0;
  let hasRoot = false;
  let at = afterDeclaration(text);
  for (;;) {
    const next = text.indexOf("<", at);
    checkText(text.slice(at, next === -1 ? text.length : next), open.length > 0);
    if (next === -1) break;
    at = afterMarkup(text, next, open.length > 0);
    if (!text.startsWith("</", next) && ++parts > bounds.maxElements) {
      throw refused(`There are more than ${bounds.maxElements} elements, comments and CDATA sections.`);
    }
    if (at !== next) continue;
    const [whole, name] = matchAt(endTag, text, at) ?? [];
    if (whole !== undefined) {
      if (open.pop() !== name) throw refused(`The end tag </${shown(name)}> ends another element.`);
      at += whole.length;
      continue;
    }
    const [tag, started = "", attributes = "", isEmpty] = matchAt(startTag, text, at) ?? [];
    if (tag === undefined)
      throw refused(`A tag cannot be read: ${shown(text.slice(at, at + 64))}. Elements have no prefixes, and attributes have quotes.`);
    if (open.length === 0 && hasRoot) throw refused("There is a second root element.");
    hasRoot = true;
    if (open.length >= bounds.maxDepth) throw refused(`Elements are nested deeper than ${bounds.maxDepth} levels.`);
    checkAttributes(attributes);
    if (isEmpty !== "/") open.push(started);
    at += tag.length;
  }
  if (!hasRoot) throw refused("There is no root element.");
  if (open.length > 0) throw refused(`The element <${shown(open.at(-1))}> does not end.`);
}

function afterDeclaration(text: string): number {
  const [whole = "", encoding = "utf-8"] = matchAt(declaration, text, 0) ?? [];
  if (encoding.toLowerCase() === "utf-8" || encoding.toLowerCase() === "utf8") return whole.length;
  throw new ProblemError("UNSUPPORTED_MEDIA_TYPE", `The document says that it is encoded in "${encoding.slice(0, 64)}"; send UTF-8.`);
}

/** The end of a comment or a CDATA section that begins here; the same index if none does. */
function afterMarkup(text: string, at: number, isInside: boolean): number {
  if (text.startsWith("<!--", at)) {
    const end = text.indexOf("--", at + 4);
    if (end === -1 || text[end + 2] !== ">") throw refused("A comment does not end, or has two hyphens.");
    return end + 3;
  }
  if (text.startsWith("<![CDATA[", at) && isInside) {
    const end = text.indexOf("]]>", at + 9);
    if (end === -1) throw refused("A CDATA section does not end.");
    return end + 3;
  }
  if (text.startsWith("<!", at)) throw refused("A document type (DOCTYPE) and declarations are not allowed.");
  if (text.startsWith("<?", at)) throw refused("Processing instructions are not allowed, and the declaration of XML stands at the very beginning.");
  return at;
}

function checkText(text: string, isInside: boolean): void {
  if (isInside) {
    if (text.includes("]]>")) throw refused('Text must not contain "]]>"; write "]]&gt;".');
    checkReferences(text);
  } else if (!blank.test(text)) throw refused("There is text outside of the root element.");
}

function checkAttributes(attributes: string): void {
  if (attributes === "") return;
  const names = new Set<string>();
  for (const [, name = "", double, single] of attributes.matchAll(eachAttribute)) {
    if (!attributeNames.test(name)) throw refused(`The attribute ${shown(name)} is unknown; members are elements.`);
    if (names.has(name)) throw refused(`The attribute ${shown(name)} is repeated.`);
    if (names.add(name).size > maxAttributes) throw refused(`An element has more than ${maxAttributes} attributes.`);
    checkReferences(double ?? single ?? "");
  }
}

function checkReferences(text: string): void {
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) {
    const [found] = matchAt(reference, text, at) ?? [];
    const isFine = found !== undefined && (found[1] !== "#" || isCharacter(codeOf(found)));
    if (!isFine) {
      throw refused(
        `"${text.slice(at, at + 16)}" is neither a character reference nor one of &lt; &gt; &amp; &quot; &apos;. Other entities are not allowed.`,
      );
    }
  }
}

/** The code point of `&#…;`. */
export function codeOf(reference: string): number {
  return reference[2] === "x" ? Number.parseInt(reference.slice(3), 16) : Number.parseInt(reference.slice(2), 10);
}

/** @see https://www.w3.org/TR/xml/#NT-Char */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function refused(detail: string): ProblemError {
  return malformedBody("MALFORMED_XML", detail);
}

function shown(text = ""): string {
  return JSON.stringify(text.slice(0, 64));
}
