import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { repository } from "../declarations/program.js";
import { withLinks, withoutComments } from "./markdown.js";
import { chapters } from "./navigation.js";
import { sourceUrl } from "./sourceUrl.js";

/** The paths of the pages in the repository, each with its path in the site. */
export function pagePaths(): Map<string, string> {
  const listed = chapters.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages.map(([path]) => path)));
  return new Map([["README.md", "index.md"], ...listed.map((path): [string, string] => [`docs/${path}.md`, `${path}.md`])]);
}

/**
 * The pages of the site by their paths: the Markdown of the repository, with links that lead to pages of the site, or to the source.
 *
 * @throws {Error} if a link leads to no file
 */
export function sitePages(): Map<string, string> {
  const paths = pagePaths();
  return new Map([...paths].map(([from, to]) => [to, sitePage(from, to, paths)]));
}

function sitePage(from: string, to: string, paths: ReadonlyMap<string, string>): string {
  const text = readFileSync(`${repository}${from}`, "utf8");
  return withoutComments(withLinks(text, (target) => siteTarget(target, from, to, paths)));
}

function siteTarget(target: string, from: string, to: string, paths: ReadonlyMap<string, string>): string {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const [path = "", anchor] = target.split("#", 2);
  const file = posix.join(posix.dirname(from), path);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  const page = paths.get(file);
  if (page !== undefined) return `${relative(to, page)}${hash}`;
  if (!existsSync(`${repository}${file}`)) throw new Error(`${from} links to ${target}, which does not exist.`);
  if (/\.(?:svg|png)$/.test(file)) return relative(to, file.replace(/^docs\//, ""));
  return `${sourceUrl(repository, file)}${hash}`;
}

function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}
