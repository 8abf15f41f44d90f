import { preferencesOf } from "./preferences.js";

/** The preferences that restwright supports. */
export interface Preferences {
  readonly return?: "minimal" | "representation" | undefined;
  /** For a batch: all items or none (`strict`), or each item by itself (`lenient`). */
  readonly handling?: "strict" | "lenient" | undefined;
  /** Respond 202 and continue as a job. */
  readonly respondAsync?: true | undefined;
  /** How many seconds to try before responding 202. */
  readonly waitSeconds?: number | undefined;
  /** Change nothing if more rows than this would change. */
  readonly maxAffected?: number | undefined;
}

const none: Preferences = {};

const maxNumber = 9;

/**
 * Reads a `Prefer` header. Unknown preferences and values are ignored; the first of a repeated preference counts.
 *
 * @see RFC 7240 §2
 */
export function parsePrefer(header: string | undefined): Preferences {
  if (header === undefined) return none;
  const given = preferencesOf(header);
  return {
    return: oneOf(given.get("return"), ["minimal", "representation"]),
    handling: oneOf(given.get("handling"), ["strict", "lenient"]),
    respondAsync: given.has("respond-async") ? true : undefined,
    waitSeconds: numberOf(given.get("wait")),
    maxAffected: numberOf(given.get("max-affected")),
  };
}

function oneOf<const T extends string>(value: string | undefined, known: readonly T[]): T | undefined {
  return known.find((each) => each === value);
}

function numberOf(value: string | undefined): number | undefined {
  return value !== undefined && value.length <= maxNumber && /^\d+$/.test(value) ? Number(value) : undefined;
}
