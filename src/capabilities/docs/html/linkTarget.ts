/** A link that a page may have. */
export interface LinkTarget {
  readonly href: string;
  /** Whether it leads to another origin. */
  readonly isOutside: boolean;
}

const here = "https://relative.invalid/";

/**
 * The target of a link, as browsers read it, if it has the scheme `https` or `mailto` or is relative.
 *
 * @returns `undefined` for all others, such as `javascript:` and `//host`
 * @example
 * linkTarget("java\nscript:alert(1)"); // undefined
 */
export function linkTarget(text: string): LinkTarget | undefined {
  if (!URL.canParse(text, here)) return undefined;
  const url = new URL(text, here);
  if (/^https:\/\//i.test(text) && url.protocol === "https:") return { href: url.href, isOutside: true };
  if (url.protocol === "mailto:" && url.href.toLowerCase().startsWith("mailto:")) return { href: url.href, isOutside: true };
  // What is relative cannot leave the origin, whatever its slashes and backslashes are.
  return url.origin === new URL(here).origin && !/^[a-z][a-z0-9+.-]*:/i.test(text.trim()) && !/^[/\\]{2}/.test(text.trim())
    ? { href: text.trim(), isOutside: false }
    : undefined;
}
