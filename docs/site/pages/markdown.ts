/** A link of a page. */
export interface MarkdownLink {
  readonly target: string;
  /** Where the target stands in the text. */
  readonly at: number;
}

/** Code, in which nothing is a link or a heading: fenced blocks, and spans in a line. */
const code = /^(`{3,})[^\n]*\n[\s\S]*?^\1`*$|(`+)(?!`)[^\n]*?[^`\n]\2(?!`)|<!--[\s\S]*?-->/gm;

/**
 * The links and images of a page, but those in code.
 *
 * @example
 * linksOf("See [limits](limits.md#json).") // [{ target: "limits.md#json", at: 13 }]
 */
export function linksOf(markdown: string): MarkdownLink[] {
  const prose = markdown.replaceAll(code, (block) => " ".repeat(block.length));
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(({ index, 1: target = "" }) => ({ target, at: index + 2 }));
}

/**
 * The anchors of the headings of a page, as GitHub makes them.
 *
 * @example
 * anchorsOf("# One\n## `two`: three") // ["one", "two-three"]
 */
export function anchorsOf(markdown: string): string[] {
  const fences = markdown.replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1`*$/gm, "");
  const counts = new Map<string, number>();
  return [...fences.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => {
    const anchor = anchorOf(heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1"));
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/**
 * A page without the comments that only tests read: declarations for its code, and marks of its programs. Comments in code stay.
 *
 * @example
 * withoutComments("<!-- given\nlet a: 1;\n-->\n\nText") // "Text"
 */
export function withoutComments(markdown: string): string {
  return markdown.replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1`*$|^<!--[\s\S]*?-->\n+/gm, (block) => (block.startsWith("<!--") ? "" : block));
}

/**
 * A page whose links lead where `targetOf` says.
 *
 * @example
 * withLinks("See [limits](limits.md).", (target) => `../${target}`) // "See [limits](../limits.md)."
 */
export function withLinks(markdown: string, targetOf: (target: string) => string): string {
  let text = markdown;
  for (const { target, at } of linksOf(text).toReversed()) text = text.slice(0, at) + targetOf(target) + text.slice(at + target.length);
  return text;
}

/** The anchor of a heading, as GitHub makes it: letters, digits, `-` and `_` of the text. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}
