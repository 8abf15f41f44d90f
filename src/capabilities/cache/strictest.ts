import type { CacheDirectives } from "../../ground/http/headers/cacheDirectives.js";

/**
 * The rule of an answer that several collections took part in: no cache may do with it what the rule of one of them does not allow.
 *
 * @param rules each says `noStore`, `noCache` or `maxAge`
 */
export function strictest(rules: readonly CacheDirectives[]): CacheDirectives {
  const some = (name: keyof CacheDirectives) => rules.some((rule) => rule[name] === true);
  const every = (name: keyof CacheDirectives) => rules.every((rule) => rule[name] === true);
  if (some("noStore")) return { noStore: true };
  const isPrivate = some("private");
  const visible = { public: !isPrivate && every("public"), private: isPrivate };
  const mustRevalidate = some("mustRevalidate");
  if (some("noCache")) return { ...visible, noCache: true, mustRevalidate };
  const maxAge = least(rules, ({ maxAge = 0 }) => maxAge);
  const isForShared = !isPrivate && rules.some(({ sMaxAge }) => sMaxAge !== undefined);
  return {
    ...visible,
    maxAge,
    sMaxAge: isForShared ? least(rules, (rule) => rule.sMaxAge ?? rule.maxAge ?? 0) : undefined,
    staleWhileRevalidate: mustRevalidate ? undefined : least(rules, (rule) => rule.staleWhileRevalidate ?? 0) || undefined,
    mustRevalidate,
    immutable: maxAge > 0 && every("immutable"),
  };
}

/** The same rule without what lets a shared cache store the answer. */
export function privately({ public: _, sMaxAge: __, ...rule }: CacheDirectives): CacheDirectives {
  return rule.noStore ? rule : { ...rule, private: true };
}

function least(rules: readonly CacheDirectives[], timeOf: (rule: CacheDirectives) => number): number {
  return Math.min(...rules.map(timeOf));
}
