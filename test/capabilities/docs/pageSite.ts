import type { clientOf } from "../../tools/client.js";

/** Pages as a browser without a script gets them, by their addresses. */
export type Site = ReadonlyMap<string, string>;

type Client = ReturnType<typeof clientOf>;

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

/** What a text of markup says. */
export function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? "");
}

/** The texts between tags, and the words that only the order of tags separates. */
export function textOf(page: string): string {
  const body = page.slice(page.indexOf("<body"));
  return unescapeHtml(body.replace(/<wbr>/g, "").replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ");
}

/** The values of an attribute. */
export function attributesOf(page: string, name: string): readonly string[] {
  return [...page.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value = ""]) => unescapeHtml(value));
}

/**
 * Follows all links of a site from its first page.
 *
 * @param mount where the service is, for the browser: a path without a slash at its end
 */
export async function crawl(
  send: Client,
  {
    mount = "",
    first = "/docs",
    headers = {},
  }: { readonly mount?: string; readonly first?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Site> {
  const site = new Map<string, string>();
  const waiting = [`https://shop.example${mount}${first}`];
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    const url = new URL(address);
    const at = url.pathname;
    if (site.has(at)) continue;
    if (!at.startsWith(`${mount}/`)) throw new Error(`A link leads out of the service: ${address}`);
    const { status, text, headers: answered } = await send({ target: at.slice(mount.length), headers, mount });
    if (status !== 200) throw new Error(`${at}: ${status}`);
    site.set(at, text);
    if (!String(answered["content-type"]).startsWith("text/html")) continue;
    for (const link of [...attributesOf(text, "href"), ...attributesOf(text, "src")]) {
      const to = new URL(link, url);
      if (to.protocol === "https:" && to.host === "shop.example") waiting.push(to.href);
    }
  }
  return site;
}

/** The links of a site to places that it does not have. */
export function brokenAnchors(site: Site): readonly string[] {
  const ids = new Map([...site].map(([at, page]) => [at, new Set(attributesOf(page, "id"))]));
  return [...site].flatMap(([at, page]) =>
    attributesOf(page, "href").flatMap((link) => {
      const to = new URL(link, `https://shop.example${at}`);
      if (to.host !== "shop.example" || to.hash === "") return [];
      return ids.get(to.pathname)?.has(decodeURIComponent(to.hash.slice(1))) ? [] : [`${at} → ${link}`];
    }),
  );
}
