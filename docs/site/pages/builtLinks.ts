import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

/**
 * Checks the links of a built site: each file and each anchor that a page names exists.
 *
 * @param folder the folder of the site
 * @returns what is wrong, one line for each dead link
 */
export function deadLinks(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html") && name !== "404.html");
  const ids = new Map<string, ReadonlySet<string>>();
  const texts = new Map(files.map((name) => [resolve(folder, name), readFileSync(join(folder, name), "utf8")]));
  for (const [path, text] of texts) ids.set(path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => decoded(id))));
  const dead = new Set<string>();
  for (const [path, text] of texts) {
    for (const [, link = ""] of text.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(link)) continue;
      const [file = "", anchor] = decoded(link).split("#", 2);
      const target = targetOf(folder, path, file);
      const isDead = target === undefined || (anchor !== undefined && anchor !== "" && ids.get(target)?.has(anchor) === false);
      if (isDead) dead.add(`${relative(folder, path).replaceAll(sep, "/")}: ${link}`);
    }
  }
  return [...dead];
}

function targetOf(folder: string, from: string, file: string): string | undefined {
  const path = file === "" ? from : file.startsWith("/") ? join(folder, file) : resolve(dirname(from), file);
  const candidates = [path, join(path, "index.html"), `${path}.html`];
  return candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile());
}

function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'"));
}
