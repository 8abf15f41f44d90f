import { statSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };

const source = manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "");

/**
 * The URL at which a file or a folder of the repository can be read.
 *
 * @param root the folder of the repository
 * @param path relative to it, with slashes
 * @throws {Error} if there is no such file
 */
export function sourceUrl(root: string, path: string): string {
  return `${source}/${statSync(join(root, path)).isDirectory() ? "tree" : "blob"}/main/${path}`;
}
