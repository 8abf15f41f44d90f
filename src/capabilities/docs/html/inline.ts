import { type Content, type Html, html } from "./html.js";
import { linkTarget } from "./linkTarget.js";

/** What begins a part of a line: a code span, a link, an address, emphasis, or an escaped character. No alternative can match in two ways. */
const part =
  /(`+)|\[([^[\]\n]{1,500})\]\(([^()\s<>]{1,2000})\)|<((?:https:\/\/|mailto:)[^<>\s]{1,2000})>|\\([!-/:-@[-`{-~])|(\*\*|__|\*|_)| {2,}\n|\\\n/g;

/** The text of a paragraph as markup: code, links, emphasis and line breaks. Everything else, HTML included, is text. */
export function renderInline(text: string): readonly Content[] {
  const made: Content[] = [];
  let last = 0;
  part.lastIndex = 0;
  for (let match = part.exec(text); match !== null; match = part.exec(text)) {
    const rest = match.index + match[0].length;
    const found = markupOf(text, match, rest);
    if (found === undefined) continue;
    made.push(text.slice(last, match.index), found.content);
    last = found.end;
    part.lastIndex = last;
  }
  made.push(text.slice(last));
  return made;
}

interface Found {
  readonly content: Content;
  /** Where the text goes on. */
  readonly end: number;
}

function markupOf(text: string, match: RegExpExecArray, rest: number): Found | undefined {
  const [whole, ticks, label, target, address, escaped, emphasis] = match;
  if (ticks !== undefined) return codeSpan(text, ticks, rest);
  if (label !== undefined) return { content: link(label, target ?? "", renderWithoutLinks(label)), end: rest };
  if (address !== undefined) return { content: link(address, address, [address.replace(/^mailto:/, "")]), end: rest };
  if (escaped !== undefined) return { content: escaped, end: rest };
  if (emphasis !== undefined) return emphasised(text, emphasis, match.index, rest);
  return whole.endsWith("\n") ? { content: html`<br>`, end: rest } : undefined;
}

function codeSpan(text: string, ticks: string, start: number): Found | undefined {
  const end = text.indexOf(ticks, start);
  if (end === -1) return undefined;
  const code = text.slice(start, end);
  return { content: html`<code>${code.length > 2 && /^ .*[^ ].* $/s.test(code) ? code.slice(1, -1) : code}</code>`, end: end + ticks.length };
}

/** A label in which nothing is a link. */
function renderWithoutLinks(label: string): readonly Content[] {
  return label.split(/`([^`]+)`/).map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));
}

/** A link with a target that is not allowed is its text. */
function link(label: string, target: string, content: readonly Content[]): Content {
  const allowed = linkTarget(target);
  if (allowed === undefined) return `[${label}](${target})`;
  return allowed.isOutside
    ? html`<a href="${allowed.href}" rel="noopener noreferrer">${content}</a>`
    : html`<a href="${allowed.href}">${content}</a>`;
}

function emphasised(text: string, mark: string, at: number, start: number): Found | undefined {
  // Names such as `created_at` are no emphasis.
  if (mark.startsWith("_") && /\w/.test(text.charAt(at - 1))) return undefined;
  if (/\s/.test(text.charAt(start)) || start >= text.length) return undefined;
  const end = text.indexOf(mark, start);
  if (end <= start || /\s/.test(text.charAt(end - 1)) || end - start > 1000) return undefined;
  if (mark.startsWith("_") && /\w/.test(text.charAt(end + mark.length))) return undefined;
  const inner: Html = html`${renderWithoutLinks(text.slice(start, end))}`;
  return { content: mark.length === 2 ? html`<strong>${inner}</strong>` : html`<em>${inner}</em>`, end: end + mark.length };
}
