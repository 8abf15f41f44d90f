import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../../docs/site/declarations/program.js";
import { anchorOf, anchorsOf, linksOf } from "../../docs/site/pages/markdown.js";
import { pagePaths } from "../../docs/site/pages/sitePages.js";

const read = (path: string) => readFileSync(`${repository}${path}`, "utf8");

/** The Markdown of the repository, but for what is built or installed. */
const pages = [
  ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "llms.txt", "findings/README.md"],
  ...["docs", "examples", "bench"].flatMap((folder) =>
    readdirSync(`${repository}${folder}`, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !/node_modules|^site\//.test(name))
      .map((name) => `${folder}/${name}`),
  ),
];

test.each(pages)("each link of %s leads to a file, and to a heading in it", (page) => {
  const dead = linksOf(read(page)).filter(({ target }) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", anchor] = target.split("#", 2);
    const file = path === "" ? page : posix.join(posix.dirname(page), path);
    if (!existsSync(`${repository}${file}`)) return true;
    return anchor !== undefined && file.endsWith(".md") && !anchorsOf(read(file)).includes(anchor);
  });
  expect(dead.map(({ target }) => target)).toEqual([]);
});

describe("each page of docs/", () => {
  // Records of decisions are listed by their index, and the site leads to them in the repository.
  const documents = pages.filter((page) => page.startsWith("docs/") && !/^docs\/decisions\/\w+\//.test(page));

  test("is in the navigation of the site", () => {
    expect([...pagePaths().keys()].toSorted()).toEqual(["README.md", ...documents].toSorted());
  });

  test("is in llms.txt", () => {
    const listed = linksOf(read("llms.txt")).map(({ target }) => target.split("#")[0]);
    expect(documents.filter((page) => !listed.includes(page))).toEqual([]);
  });
});

describe("Markdown", () => {
  test("has links outside of code only", () => {
    const text = "[a](a.md) `[b](b.md)` ![c](c.svg)\n\n```ts\n[d](d.md)\n```\n<!-- [e](e.md) -->\n[`f`](f.md#g)";
    const links = linksOf(text);
    expect(links.map(({ target }) => target)).toEqual(["a.md", "c.svg", "f.md#g"]);
    for (const { target, at } of links) expect(text.slice(at, at + target.length)).toBe(target);
  });

  test("has the anchors of GitHub", () => {
    expect(anchorsOf("# A `b_c`: d & e\n\n```sh\n# no heading\n```\n\n## [Same](x.md)\n\n## Same\n")).toEqual(["a-b_c-d--e", "same", "same-1"]);
    expect(anchorOf("`createService`: `lists`")).toBe("createservice-lists");
  });
});
