import type { HttpRequest } from "../../ground/http/message.js";
import { ConfigurationError } from "../../ground/problem/index.js";

/** Whether an origin may read answers: `*` for all, a list, or a function, which may ask a database. */
export type Origins = "*" | readonly (string | RegExp)[] | ((origin: string, request: HttpRequest) => boolean | Promise<boolean>);

/** Judges the value of an `Origin` header. */
export type JudgeOrigin = (origin: string, request: HttpRequest) => boolean | Promise<boolean>;

/**
 * Compiles a list of origins. A text is compared exactly; a regular expression must match the whole origin, so that `/shop\.example/` does not allow
 * `https://shop.example.evil.test`. `null`, the origin of sandboxed and local pages, is allowed only by the text `"null"`.
 *
 * @throws {ConfigurationError} for a text that no browser sends, and a regular expression with a position
 */
export function compileOrigins(origins: Exclude<Origins, "*">): JudgeOrigin {
  if (typeof origins === "function") return origins;
  const texts = new Set<string>();
  const patterns: RegExp[] = [];
  for (const origin of origins) {
    if (typeof origin === "string") texts.add(checked(origin));
    else if (origin.global || origin.sticky)
      throw new ConfigurationError(`cors: "origins" has ${origin}; remove the flags "g" and "y", which depend on earlier matches.`);
    else patterns.push(new RegExp(`^(?:${origin.source})$`, origin.flags));
  }
  return (origin) => texts.has(origin) || (origin !== "null" && patterns.some((pattern) => pattern.test(origin)));
}

/** An origin as a browser writes it: scheme, host in lower case, and a port that is not the scheme's own. @see RFC 6454 §6.2 */
function checked(origin: string): string {
  if (origin === "null") return origin;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const written = url === undefined ? undefined : url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin;
  if (written === origin) return origin;
  const hint = written === undefined || url?.host === "" ? `write scheme and host: "https://shop.example"` : `browsers send "${written}"`;
  throw new ConfigurationError(`cors: "origins" has "${origin}", which is not an origin; ${hint}.`);
}
