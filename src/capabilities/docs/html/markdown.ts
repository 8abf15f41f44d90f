import { type Html, html } from "./html.js";
import { renderInline } from "./inline.js";

/** Longer texts are shown as they are, so that their length bounds the time. */
const maxCharacters = 20_000;
/** How deep lists and quotes stand in one another. */
const maxDepth = 4;

const bullet = /^( {0,3})(?:[-*+]|(\d{1,9})[.)])( {1,4})(?=\S)/;
const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^ {0,3}#{1,6} +(\S.*)$/;
const tableRule = /^ {0,3}\|?(?: *:?-+:? *\|)* *:?-+:? *\|? *$/;

/**
 * A description as markup: paragraphs, lists, tables, quotes, code, links and emphasis of CommonMark. HTML is shown as the text that it is, and headings as paragraphs,
 * as the page has headings of its own. The text is not trusted.
 *
 * @see https://spec.commonmark.org/0.31.2/
 * @example
 * renderMarkdown("Orders of **one** customer.").text; // <p>Orders of <strong>one</strong> customer.</p>
 */
export function renderMarkdown(text: string): Html {
  if (text.length > maxCharacters) return html`<pre>${text}</pre>`;
  return renderBlocks(text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n"), 0);
}

function renderBlocks(lines: readonly string[], depth: number): Html {
  const made: Html[] = [];
  for (let at = 0; at < lines.length; ) {
    const [block, next] = blockAt(lines, at, depth);
    if (block !== undefined) made.push(block);
    at = next;
  }
  return html`${made}`;
}

/** The block that begins at a line, and the line after it. */
function blockAt(lines: readonly string[], at: number, depth: number): readonly [Html | undefined, number] {
  const line = lines[at] ?? "";
  if (line.trim() === "") return [undefined, at + 1];
  const opened = fence.exec(line)?.[1];
  if (opened !== undefined) return codeBlock(lines, at, opened);
  const title = heading.exec(line)?.[1];
  if (title !== undefined) return [html`<p><strong>${renderInline(title.replace(/ +#+ *$/, ""))}</strong></p>`, at + 1];
  if (/^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/.test(line)) return [html`<hr>`, at + 1];
  if (depth < maxDepth && line.startsWith(">")) {
    const end = endOf(lines, at, (other) => other.startsWith(">"));
    return [
      html`<blockquote>${renderBlocks(
        lines.slice(at, end).map((other) => other.replace(/^> ?/, "")),
        depth + 1,
      )}</blockquote>`,
      end,
    ];
  }
  if (depth < maxDepth && bullet.test(line)) return list(lines, at, depth);
  if (line.includes("|") && tableRule.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-")) return table(lines, at);
  const end = endOf(lines, at, (other, index) => index === at || continuesParagraph(other, depth));
  return [
    html`<p>${renderInline(
      lines
        .slice(at, end)
        .map((other) => other.trimStart())
        .join("\n")
        .trimEnd(),
    )}</p>`,
    end,
  ];
}

function endOf(lines: readonly string[], at: number, belongs: (line: string, index: number) => boolean): number {
  let end = at;
  while (end < lines.length && belongs(lines[end] ?? "", end)) end++;
  return end;
}

function continuesParagraph(line: string, depth: number): boolean {
  return line.trim() !== "" && !fence.test(line) && !heading.test(line) && !(depth < maxDepth && (bullet.test(line) || line.startsWith(">")));
}

function codeBlock(lines: readonly string[], at: number, opened: string): readonly [Html, number] {
  const closes = (line: string) => (fence.exec(line)?.[1] ?? "").startsWith(opened) && line.trim().replaceAll(opened.charAt(0), "") === "";
  const end = endOf(lines, at + 1, (line) => !closes(line));
  return [html`<pre><code>${lines.slice(at + 1, end).join("\n")}</code></pre>`, end + 1];
}

function list(lines: readonly string[], at: number, depth: number): readonly [Html, number] {
  const isOrdered = bullet.exec(lines[at] ?? "")?.[2] !== undefined;
  const items: Html[] = [];
  let next = at;
  for (let match = bullet.exec(lines[next] ?? ""); match !== null && (match[2] !== undefined) === isOrdered; match = bullet.exec(lines[next] ?? "")) {
    const indent = match[0].length;
    const first = next;
    const end = endOf(
      lines,
      first + 1,
      (line, index) => isIndented(line, indent) || (line.trim() === "" && isIndented(lines[index + 1] ?? "", indent)),
    );
    const own = lines.slice(first, end).map((line, index) => (index === 0 ? line.slice(indent) : line.replace(new RegExp(`^ {0,${indent}}`), "")));
    items.push(own.length === 1 ? html`<li>${renderInline(own[0] ?? "")}</li>` : html`<li>${renderBlocks(own, depth + 1)}</li>`);
    // Items may have empty lines between them.
    const following = endOf(lines, end, (line) => line.trim() === "");
    next = bullet.test(lines[following] ?? "") ? following : end;
  }
  return [isOrdered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`, next];
}

function isIndented(line: string, indent: number): boolean {
  return line.trim() !== "" && line.startsWith(" ".repeat(Math.min(indent, 2)));
}

function table(lines: readonly string[], at: number): readonly [Html, number] {
  const end = endOf(lines, at + 2, (line) => line.trim() !== "" && line.includes("|"));
  const row = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => renderInline(cell.trim()));
  const head = row(lines[at] ?? "").map((cell) => html`<th scope="col">${cell}</th>`);
  const body = lines.slice(at + 2, end).map((line) => html`<tr>${row(line).map((cell) => html`<td>${cell}</td>`)}</tr>`);
  return [html`<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`, end];
}
