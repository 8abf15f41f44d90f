import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { withLinks, withoutComments } from "../pages/markdown.js";
import { sourceUrl } from "../pages/sourceUrl.js";

/**
 * The pages of the package that differ from those of the repository: without comments that only tests read, and with links to files that are not in the package as
 * URLs of the repository.
 *
 * @param root the folder of the repository
 * @param packed the paths of all files of the package, relative to it, with slashes
 * @returns the changed texts by their paths
 * @throws {Error} if a link leads to no file
 */
export function packedPages(root: string, packed: readonly string[]): Map<string, string> {
  const known = new Set(packed.flatMap((path) => [path, ...foldersOf(path)]));
  const pages = packed.filter((path) => path.endsWith(".md") || path === "llms.txt");
  const changed = pages.flatMap((page): [string, string][] => {
    const text = readFileSync(join(root, page), "utf8");
    const written = withoutComments(withLinks(text, (target) => packedTarget(target, page, known, root)));
    return written === text ? [] : [[page, written]];
  });
  return new Map(changed);
}

function packedTarget(target: string, page: string, known: ReadonlySet<string>, root: string): string {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const [path = "", anchor] = target.split("#", 2);
  const file = posix.join(posix.dirname(page), path).replace(/\/$/, "");
  if (known.has(file)) return target;
  if (!existsSync(join(root, file))) throw new Error(`${page} links to ${target}, which does not exist.`);
  return `${sourceUrl(root, file)}${anchor === undefined ? "" : `#${anchor}`}`;
}

/** `a/b/c.md` is in `a/b` and `a`. */
function foldersOf(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === "." ? [] : [folder, ...foldersOf(folder)];
}
