import type { CacheDirectives } from "../../ground/http/headers/cacheDirectives.js";
import { flag, optionsCheck, type Shape, strict, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";

/** The largest number of seconds that caches must tell from infinity. @see RFC 9111 §1.2.2 */
const maxSeconds = 2_147_483_648;

/** The schemas of {@link CacheDirectives}. */
export const directiveShape = (): Shape<CacheDirectives> => ({
  public: flag(),
  private: flag(),
  noStore: flag(),
  noCache: flag(),
  maxAge: whole(0, maxSeconds),
  sMaxAge: whole(0, maxSeconds),
  staleWhileRevalidate: whole(0, maxSeconds),
  mustRevalidate: flag(),
  immutable: flag(),
});

const checkDirectives = /* @__PURE__ */ optionsCheck("cacheControl", () => strict<CacheDirectives>(directiveShape()));

/**
 * Writes the value of `Cache-Control`.
 *
 * @throws {ConfigurationError} for an unknown directive, a time that is not a whole number of seconds, and directives that contradict each other
 * @see RFC 9111 §5.2.2
 * @example
 * cacheControl({ public: true, maxAge: 60, sMaxAge: 300, staleWhileRevalidate: 30 }); // "public, max-age=60, s-maxage=300, stale-while-revalidate=30"
 */
export function cacheControl(directives: CacheDirectives): string {
  checkDirectives(directives);
  const fault = contradiction(directives);
  if (fault !== undefined) throw new ConfigurationError(`cacheControl: ${fault}`);
  return writeDirectives(directives);
}

/** Writes directives that are known to agree. */
export function writeDirectives(directives: CacheDirectives): string {
  const texts = Object.entries(names).flatMap(([member, name]) => {
    const value = directives[member as keyof CacheDirectives];
    if (value === undefined || value === false) return [];
    return value === true ? name : `${name}=${value}`;
  });
  return texts.join(", ");
}

/** The directives by their names, in the order in which they are written. */
const names: { readonly [member in keyof CacheDirectives]-?: string } = {
  public: "public",
  private: "private",
  noStore: "no-store",
  noCache: "no-cache",
  maxAge: "max-age",
  sMaxAge: "s-maxage",
  staleWhileRevalidate: "stale-while-revalidate",
  mustRevalidate: "must-revalidate",
  immutable: "immutable",
};

/** Why directives cannot stand together; `undefined` if they can. */
export function contradiction(directives: CacheDirectives): string | undefined {
  const given = Object.entries(directives).flatMap(([name, value]) => (value === undefined || value === false ? [] : name));
  const has = (name: keyof CacheDirectives) => given.includes(name);
  const beside = (name: keyof CacheDirectives, others: readonly (keyof CacheDirectives)[]) => {
    const other = has(name) ? others.find(has) : undefined;
    return other && `"${name}" and "${other}" contradict each other; leave one of them out.`;
  };
  if (given.length === 0) return "there is no directive; give at least one.";
  const clash =
    beside("noStore", ["public", "noCache", "maxAge", "sMaxAge", "staleWhileRevalidate", "mustRevalidate", "immutable"]) ??
    beside("private", ["public", "sMaxAge"]) ??
    beside("noCache", ["maxAge", "sMaxAge", "staleWhileRevalidate", "immutable"]) ??
    beside("mustRevalidate", ["staleWhileRevalidate"]);
  if (clash !== undefined) return clash;
  if (has("staleWhileRevalidate") && !has("maxAge") && !has("sMaxAge")) return `"staleWhileRevalidate" has no effect without "maxAge" or "sMaxAge".`;
  if (has("immutable") && (directives.maxAge ?? 0) === 0) return `"immutable" has no effect without a "maxAge" above 0.`;
  return undefined;
}
