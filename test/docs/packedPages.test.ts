import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packedPages } from "../../docs/site/package/packedPages.js";
import { withoutComments } from "../../docs/site/pages/markdown.js";

const source = "https://github.com/restwright/restwright";

/** A repository of these files. */
function repositoryOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "restwright-pages-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test("comments of a page are left out of the package, those in its code stay", () => {
  const code = "```html\n<!-- shown -->\n```\n";
  expect(withoutComments(`# A\n\n<!-- given\nlet a: \`b\`;\n-->\n\n${code}\n<!-- program: x -->\n${code}`)).toBe(`# A\n\n${code}\n${code}`);
});

test("links of a packed page to files and folders that are not packed lead to the repository, others stay", () => {
  const text = "[a](b.md#x) [c](../examples/a) [d](../src) [e](../src/f.ts#L1) ![g](g.svg) [h](#h) [i](https://i.org) `[j](k.md)`";
  const root = repositoryOf({ "docs/a.md": text, "docs/b.md": "# x\n", "docs/g.svg": "", "examples/a/main.ts": "", "src/f.ts": "" });
  expect([...packedPages(root, ["docs/a.md", "docs/b.md", "docs/g.svg", "examples/a/main.ts"])]).toEqual([
    ["docs/a.md", text.replace("../src/f.ts", `${source}/blob/main/src/f.ts`).replace("../src", `${source}/tree/main/src`)],
  ]);
});

test("a packed page with a link to no file is refused", () => {
  const root = repositoryOf({ "llms.txt": "[a](docs/b.md)" });
  expect(() => packedPages(root, ["llms.txt"])).toThrow("llms.txt links to docs/b.md, which does not exist.");
});
