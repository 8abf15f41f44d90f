import { isUtf8 } from "node:buffer";

/** Types of plain text by extension; the bytes do not tell. */
const byExtension: ReadonlyMap<string, string> = new Map([
  ["csv", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["tab", "text/tab-separated-values"],
  ["ndjson", "application/x-ndjson"],
  ["jsonl", "application/x-ndjson"],
]);

/** Markdown may contain HTML, also at its beginning. */
const markdown: ReadonlySet<string> = new Set(["md", "markdown"]);

/** Tags that a page of HTML may begin with. @see WHATWG MIME Sniffing §7.1 */
const html = /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)(?:[\s>/]|--|$)/i;
const svg = /^<(?:[\w.-]+:)?svg[\s>/]/;
const page = /^<(?:[\w.-]+:)?html[\s>/]/i;
const element = /^<[\p{L}_:]/u;
/** What may precede the first element of XML. */
const prologue = /^(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE(?:[^"'[>]|"[^"]*"|'[^']*'|\[(?:[^\]"']|"[^"]*"|'[^']*')*\])*>)/i;

/**
 * The type of a text, which must be strict UTF-8 without NUL.
 *
 * @see RFC 3629
 */
export function detectText(head: Buffer, { extension, isWhole }: { readonly extension: string; readonly isWhole: boolean }): string | undefined {
  if (head.includes(0) || !isText(head, isWhole)) return undefined;
  const text = head.toString().replace(/^\uFEFF/, "");
  if (markdown.has(extension)) return "text/markdown";
  return detectMarkup(text) ?? byExtension.get(extension) ?? detectJson(text, extension, isWhole);
}

/** The head may end within a character. */
function isText(head: Buffer, isWhole: boolean): boolean {
  if (isUtf8(head)) return true;
  return !isWhole && [1, 2, 3].some((cut) => isUtf8(head.subarray(0, -cut)) && isBegun(head.subarray(-cut)));
}

/** Whether the bytes end with an incomplete character. */
function isBegun(tail: Buffer): boolean {
  const [first = 0, ...rest] = tail;
  const width = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : 2;
  return first >= 0xc2 && first <= 0xf4 && tail.length < width && rest.every((byte) => (byte & 0xc0) === 0x80);
}

function detectMarkup(text: string): string | undefined {
  const start = text.trimStart();
  const isXml = start.startsWith("<?xml");
  let rest = start;
  for (let match = prologue.exec(rest); match !== null; match = prologue.exec(rest)) rest = rest.slice(match[0].length);
  if (svg.test(rest)) return "image/svg+xml";
  if (page.test(rest) || html.test(start) || html.test(rest)) return "text/html";
  return isXml || (rest !== start && element.test(rest)) || looksLikeXml(rest) ? "application/xml" : undefined;
}

/** An element with a namespace or an end tag; angle brackets alone are not XML. */
function looksLikeXml(text: string): boolean {
  const name = text.match(/^<([\p{L}_:][\p{L}\p{N}_:.-]*)(?:\s[^<>]*)?>/u)?.[1];
  return name !== undefined && (text.trimEnd().endsWith(`</${name}>`) || text.trimEnd().endsWith("/>"));
}

/** A file with the extension of JSON that is not JSON stays plain text. */
function detectJson(text: string, extension: string, isWhole: boolean): string {
  const isNamed = extension === "json" || extension === "geojson";
  if (!isNamed && (extension !== "" || !/^\s*[[{]/.test(text))) return "text/plain";
  return (isWhole ? isJsonText(text) : /^\s*[[{"]/.test(text)) ? "application/json" : "text/plain";
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
