import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeText, html } from "../../../src/capabilities/docs/html/html.js";
import { linkTarget } from "../../../src/capabilities/docs/html/linkTarget.js";
import { renderMarkdown } from "../../../src/capabilities/docs/html/markdown.js";
import { cpuMsSince } from "../../tools/cpuMs.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

const render = (text: string) => renderMarkdown(text).text;

test.each([
  ["one\ntwo\n\nthree", "<p>one\ntwo</p><p>three</p>"],
  ["**strong** *soft* `a*b*` snake_case_name", "<p><strong>strong</strong> <em>soft</em> <code>a*b*</code> snake_case_name</p>"],
  ["``a ` b`` and `", "<p><code>a ` b</code> and `</p>"],
  ["\\*not\\* 2 * 3 * 4", "<p>*not* 2 * 3 * 4</p>"],
  ["line  \nbreak", "<p>line<br>break</p>"],
  ["# Title #\ntext", "<p><strong>Title</strong></p><p>text</p>"],
  ["- a\n- b\n  more\n\n- c", "<ul><li>a</li><li><p>b\nmore</p></li><li>c</li></ul>"],
  ["1. a\n2. b\n   - c", "<ol><li>a</li><li><p>b</p><ul><li>c</li></ul></li></ol>"],
  ["> quoted\n> *text*", "<blockquote><p>quoted\n<em>text</em></p></blockquote>"],
  ["```js\na < b\n```\nend", "<pre><code>a &lt; b</code></pre><p>end</p>"],
  ["~~~\nnever closed", "<pre><code>never closed</code></pre>"],
  [
    "| a | b |\n|---|:-:|\n| `1` | 2 |",
    '<table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead><tbody><tr><td><code>1</code></td><td>2</td></tr></tbody></table>',
  ],
  ["a\n\n---\n\nb", "<p>a</p><hr><p>b</p>"],
  ["[docs](https://example.com/a?b=c&d)", '<p><a href="https://example.com/a?b=c&amp;d" rel="noopener noreferrer">docs</a></p>'],
  [
    "[there](#users.create) <mailto:ann@example.com>",
    '<p><a href="#users.create">there</a> <a href="mailto:ann@example.com" rel="noopener noreferrer">ann@example.com</a></p>',
  ],
  ["[x](javascript:alert)", "<p>[x](javascript:alert)</p>"],
  [
    "<b>bold</b> &amp; <https://a.example>",
    '<p>&lt;b&gt;bold&lt;/b&gt; &amp;amp; <a href="https://a.example/" rel="noopener noreferrer">https://a.example</a></p>',
  ],
  ["![image](https://a.example/x.png)", '<p>!<a href="https://a.example/x.png" rel="noopener noreferrer">image</a></p>'],
])("%j is rendered as CommonMark", (text, expected) => {
  expect(render(text)).toBe(expected);
});

test.each([
  "javascript:alert(1)",
  "JAVASCRIPT:x",
  "java\nscript:x",
  " javascript:x",
  "\u0001javascript:x",
  "data:text/html,x",
  "vbscript:x",
  "http://a.example/",
  "//a.example/",
  "/\\a.example",
  "\\\\a.example",
  "blob:x",
  "file:///etc",
  "https:a.example",
])("%j is no target of a link", (target) => {
  expect(linkTarget(target)).toBeUndefined();
});

test.each([
  ["../guide", false],
  ["?a=b", false],
  ["/a/b#c", false],
  ["https://a.example/", true],
  ["MAILTO:ann@example.com", true],
])("%j may be one", (target, isOutside) => {
  expect(linkTarget(target)?.isOutside).toBe(isOutside);
});

test("control characters and those that reverse the order of a text are replaced", () => {
  expect(escapeText("a\u0000b\u202Ec\u2066d\u200Fe\"'")).toBe("a\uFFFDb[U+202E]c[U+2066]d\u200Fe&quot;&#39;");
  expect(html`<p title="${'"><img>'}">${["<", html`<b>`, undefined, false]}</p>`.text).toBe('<p title="&quot;&gt;&lt;img&gt;">&lt;<b></p>');
});

const pieces = fc.constantFrom(
  "<script>",
  "</textarea>",
  '"><img src=x onerror=y>',
  "[a](javascript:b)",
  "](",
  "[",
  "`",
  "``",
  "**",
  "_",
  "\n",
  "\n\n",
  "- ",
  "1. ",
  "> ",
  "|",
  "|-|-|\n",
  "```\n",
  "#",
  "&lt;",
  "\u0000",
  "\u202E",
  "text",
  " ",
  "\\",
  "<https://a b>",
  "<https://a.example>",
);

test("no text becomes markup of its own, and every element is closed", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 40 }), (parts) => {
      const made = render(parts.join(""));
      const open: string[] = [];
      for (const [, slash, name = "", attributes = ""] of made.matchAll(/<(\/?)([^\s>]*)([^>]*)>/g)) {
        expect(name).toMatch(/^(?:p|em|strong|code|pre|a|br|hr|ul|ol|li|blockquote|table|thead|tbody|tr|th|td)$/);
        expect(attributes).toMatch(/^(?: href="(?:https:\/\/|mailto:|(?![a-z]+:|\/\/))[^"]*"(?: rel="noopener noreferrer")?| scope="col")?$/i);
        if (slash === "/") expect(open.pop()).toBe(name);
        else if (name !== "br" && name !== "hr") open.push(name);
      }
      expect(open).toEqual([]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
      expect(made.replace(/<[^>]*>/g, "")).not.toMatch(/[<>\u0000\u202E]/);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test("long and hostile texts take milliseconds", () => {
  for (const piece of ["*a", "_a ", "`", "``` ", "[", "[a](", "> ", "- ", "1. a\n", "|a", "<https://", "\\"]) {
    const start = process.cpuUsage();
    render(piece.repeat(20_000 / piece.length));
    expect(cpuMsSince(start)).toBeLessThan(1_000);
  }
});
