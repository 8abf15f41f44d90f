import type { Limits } from "../../ground/limits/limits.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { type ReadDay, utcDay } from "./values/day.js";

/** Settings of all lists of a service. */
export interface QuerySettings {
  readonly limits: Limits;
  /** Days of the configured time zone. */
  readonly readDay: ReadDay;
  /** Whether a `perPage` above the limit is a fault, or is lowered to the limit. */
  readonly overflow: "refuse" | "clamp";
  /** Parameters to ignore, e.g. `utm_source`. */
  readonly ignores: (name: string) => boolean;
}

const nothing = () => false;

/** The settings with their defaults. */
export function querySettings(
  limits: Limits,
  changes: { readonly [K in Exclude<keyof QuerySettings, "limits">]?: QuerySettings[K] | undefined } = {},
): QuerySettings {
  return { limits, readDay: changes.readDay ?? utcDay, overflow: changes.overflow ?? "refuse", ignores: changes.ignores ?? nothing };
}

/**
 * Makes a test for a list of names, in which a final `*` matches any rest: `["utm_*", "_"]`.
 *
 * @throws {ConfigurationError} for a pattern that would ignore everything, or has its `*` elsewhere
 */
export function ignoring(patterns: readonly string[]): QuerySettings["ignores"] {
  for (const pattern of patterns) {
    if (pattern === "*" || pattern === "" || pattern.slice(0, -1).includes("*")) {
      throw new ConfigurationError(`"ignoreParameters" takes names, with "*" at their end or not at all; got "${pattern}".`);
    }
  }
  if (patterns.length === 0) return nothing;
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
