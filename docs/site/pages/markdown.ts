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

/** The anchor of a heading, as GitHub makes it: letters, digits, `-` and `_` of the text. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}
