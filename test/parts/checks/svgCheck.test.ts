import fc from "fast-check";
import { sanitizeSvg, svgCheck } from "restwright/checks";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { judge, verdictOn } from "./samples/fileOf.js";
import { png } from "./samples/images.js";

const open = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"`;
const drawing = (inner: string, attributes = "") => `${open}${attributes}>${inner}<path d="M0 0"></path></svg>`;

async function sanitized(text: string): Promise<string> {
  return Buffer.from(await sanitizeSvg(Buffer.from(text))).toString();
}

const pixels = `data:image/png;base64,${png().toString("base64")}`;

describe("A drawing", () => {
  test.each([
    ["shapes", `<g fill="red" transform="translate(1 2)"><circle cx="1" cy="2" r="3"></circle></g>`],
    ["text", `<text x="1">a &lt; b &amp; <tspan>c</tspan></text>`],
    [
      "references within it",
      `<linearGradient id="a"></linearGradient><rect fill="url(#a)" style="stroke: url('#a')"></rect><use xlink:href="#a"></use><use href="#b"></use>`,
    ],
    ["styles", `<style>.a{fill:rgb(1,2,3)}@media (min-width:1px){.b &gt; .c{fill:url(#x)}}</style>`],
    [
      "filters and animations",
      `<filter id="f"><feGaussianBlur stdDeviation="2"></feGaussianBlur></filter><animate attributeName="opacity" values="0;1" dur="1s"></animate>`,
    ],
    ["an image of pixels", `<image width="1" href="${pixels}"></image>`],
    ["what helps to read it", `<title>A &amp; B</title><g role="img" aria-label="x (y)" id="url(x)" xml:space="preserve"></g>`],
  ])("keeps %s", async (_what, inner) => {
    expect(await sanitized(drawing(inner, ` viewBox="0 0 1 1"`))).toBe(drawing(inner, ` viewBox="0 0 1 1"`));
  });

  test.each([
    ["scripts", `<script>alert(1)</script><script xlink:href="http://x"/>`, ""],
    ["scripts under a prefix", `<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>`, ""],
    ["scripts of HTML", `<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>`, ""],
    ["scripts in what is left out", `<foreignObject><svg xmlns="http://www.w3.org/2000/svg"><script/><path d="M1"/></svg></foreignObject>`, ""],
    ["foreign objects", `<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="x"/></body></foreignObject>`, ""],
    ["elements of editors", `<metadata><rdf:RDF xmlns:rdf="urn:r"/></metadata><i:view xmlns:i="urn:i"/>`, ""],
    ["event handlers", `<g onload="alert(1)" ONCLICK="x" onfocus="y"/>`, "<g></g>"],
    [
      "references elsewhere",
      `<use href="http://x#a"/><use xlink:href="//x"/><image href="http://x/a.png"/><a href="https://x"><g/></a>`,
      "<use></use><use></use><image></image><a><g></g></a>",
    ],
    ["references that run", `<a href="java&#x0a;script:alert(1)"/><a xlink:href=" javascript:x"/>`, "<a></a><a></a>"],
    [
      "data that is no image",
      `<use href="data:image/svg+xml;base64,AAAA"/><image href="data:image/svg+xml,x"/><image href="data:image/png;base64,AAAA"/>`,
      "<use></use><image></image><image></image>",
    ],
    ["images where there are none", `<use href="${pixels}"/>`, "<use></use>"],
    ["references in attributes", `<rect fill="url(http://x)" mask="url( '//x#a' )" style="background:url(a.png)"/>`, "<rect></rect>"],
    ["escapes in attributes", `<rect fill="u\\72l(http://x)" style="fill:image-set('x' 1x)"/>`, "<rect></rect>"],
    ["styles that load", `<style>@import "http://x";</style><style>a{b:url(http://x)}</style><style>@font-face{src:url(data:x)}</style>`, ""],
    ["styles that load between what looks like comments", `<style>a{content:"/*"; b:url(http://x) /*"*/}</style>`, ""],
    ["styles with elements in them", `<style>a{}<g/>b{}</style>`, "<style>a{}b{}</style>"],
    ["styles of data", `<style><![CDATA[a{b:url(//x)}]]></style>`, ""],
    [
      "animations of references",
      `<animate attributeName="href" to="javascript:x"/><set attributeName="xlink:href" to="x"/><animate attributeName="style"/><set to="x"/>`,
      "",
    ],
    ["animations to references", `<animate attributeName="fill" to="url(http://x)"/>`, `<animate attributeName="fill"></animate>`],
    ["comments, instructions and text between elements", `<!-- x --><?xml-stylesheet href="http://x"?> text <g/>`, "<g></g>"],
    ["the base of references", `<g xml:base="http://x" xml:lang="de"/>`, `<g xml:lang="de"></g>`],
    ["quotes in names", `<g id="&quot;&gt;&lt;script&gt;"/>`, `<g id="&quot;&gt;&lt;script&gt;"></g>`],
  ])("loses %s", async (_what, inner, left) => {
    expect(await sanitized(drawing(inner))).toBe(drawing(left));
  });

  test("is written without prefixes, declaration and instructions in front of it", async () => {
    const prefixed = `\uFEFF<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="x"?><s:svg xmlns:s="http://www.w3.org/2000/svg"><s:path d="M0 0"/></s:svg>`;
    expect(await sanitized(prefixed)).toBe(drawing(""));
  });

  test("loses the document type of SVG", async () => {
    const type = `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">`;
    expect(await sanitized(`<?xml version="1.0"?>\n${type}\n${drawing("")}`)).toBe(drawing(""));
    await expect(sanitizeSvg(Buffer.from(type + drawing("&a;")))).rejects.toMatchObject({ code: "SVG_INVALID" });
  });

  test.each([
    ["no well-formed XML", `${open}><g></svg>`],
    ["not closed", `${open}>`],
    ["with a document type", `<!DOCTYPE svg>${drawing("")}`],
    ["with entities", `<!DOCTYPE svg [<!ENTITY a "b">]>${drawing("&a;")}`],
    ["with a document type elsewhere", `<!DOCTYPE svg SYSTEM "http://evil/svg.dtd">${drawing("")}`],
    [
      "with definitions beside the document type of SVG",
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd" [<!ENTITY a "b">]>${drawing("")}`,
    ],
    ["with entities that are not defined", drawing("&nbsp;")],
    ["in another encoding", `<?xml version="1.0" encoding="utf-16"?>${drawing("")}`],
    ["of XML 1.1", `<?xml version="1.1"?>${drawing("")}`],
    ["of another namespace", `<svg><path d="M0"/></svg>`],
    ["an element of something else", `<g xmlns="http://www.w3.org/2000/svg"><svg/></g>`],
    ["nothing but a script", `${open}><script>alert(1)</script></svg>`],
    ["nested without end", `${open}>${"<g>".repeat(300)}${"</g>".repeat(300)}</svg>`],
  ])("is refused: %s", async (_what, text) => {
    await expect(sanitizeSvg(Buffer.from(text))).rejects.toMatchObject({ code: "SVG_INVALID", status: 422 });
  });

  test("may be empty, if it was", async () => {
    expect(await sanitized(`${open}/>`)).toBe(`${open}></svg>`);
  });

  test("is replaced by what is left, and other files pass", async () => {
    expect(await judge(svgCheck(), "a.svg", drawing("<script/>"))).toEqual({ verdict: "replace", bytes: Buffer.from(drawing("")) });
    expect(await verdictOn(svgCheck(), "a.svg", `${open}><g>`)).toBe("SVG_INVALID");
    expect(await verdictOn(svgCheck(), "a.png", png())).toBe("pass");
    expect(await verdictOn(svgCheck({ maxBytes: 10 }), "a.svg", drawing(""))).toBe("FILE_TOO_LARGE");
    await expect(sanitizeSvg(Buffer.from("3c737667ff", "hex"))).rejects.toMatchObject({ code: "SVG_INVALID" });
  });

  test("ends in a verdict wherever it ends early", async () => {
    const text = drawing(`<style>a{fill:url(#b)}</style><image href="${pixels}"/><text>a &amp; b</text>`);
    for (let end = 0; end < text.length; end++)
      await expect(sanitizeSvg(Buffer.from(text.slice(0, end)))).rejects.toMatchObject({ code: "SVG_INVALID" });
  });

  test("has nothing left that runs or loads, whatever it was made of, and is the same when it is written again", async () => {
    const name = fc.constantFrom(
      "g",
      "script",
      "style",
      "a",
      "use",
      "image",
      "text",
      "animate",
      "foreignObject",
      "x:script",
      "h:img",
      "set",
      "metadata",
    );
    const attribute = fc.constantFrom("href", "xlink:href", "onload", "style", "fill", "attributeName", "to", "id", "xml:base", "filter", "class");
    const value = fc.constantFrom(
      "#a",
      "http://evil",
      "javascript:evil",
      "url(http://evil)",
      "url(#a)",
      "href",
      "fill",
      "u\\rl(//evil)",
      "&quot;evil",
      "data:text/html,evil",
      "red",
    );
    const pair = fc.tuple(attribute, value);
    const { element } = fc.letrec<{ element: string; inner: string }>((tie) => ({
      element: fc
        .tuple(name, fc.uniqueArray(pair, { selector: ([key]) => key, maxLength: 3 }), fc.array(tie("inner"), { maxLength: 3 }))
        .map(([tag, pairs, inner]) => `<${tag}${pairs.map(([key, text]) => ` ${key}="${text}"`).join("")}>${inner.join("")}</${tag}>`),
      inner: fc.oneof({ maxDepth: 4 }, fc.constantFrom("text", "a{b:url(//evil)}", "<![CDATA[<script>evil]]>", "<!-- evil -->"), tie("element")),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(element, { maxLength: 4 }), async (parts) => {
        const once = await sanitized(drawing(parts.join(""), ` xmlns:x="http://www.w3.org/2000/svg" xmlns:h="http://www.w3.org/1999/xhtml"`));
        const markup = once.replace(/(?<=>)[^<]*/g, "").replace(/ (?:id|class)="[^"]*"/g, "");
        expect(markup).not.toMatch(/script|onload|evil\)|foreign|h:|xml:base|href="(?!#)/);
        expect(await sanitized(once)).toBe(once);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});
