/** The preferences that restwright honours. */
export interface Preferences {
  readonly return?: "minimal" | "representation" | undefined;
  /** Of a batch: all of it or nothing, or each item by itself. */
  readonly handling?: "strict" | "lenient" | undefined;
  /** Answer 202 and go on as a job. */
  readonly respondAsync?: true | undefined;
  /** How many seconds to try first, where the answer may come later. */
  readonly waitSeconds?: number | undefined;
  /** Change nothing where more rows than these would change. */
  readonly maxAffected?: number | undefined;
}

const none: Preferences = {};

const longestNumber = 9;

/**
 * Reads a `Prefer` header. Unknown preferences and values are ignored; of a repeated preference the first counts.
 *
 * @see RFC 7240 §2
 */
export function parsePrefer(header: string | undefined): Preferences {
  if (header === undefined) return none;
  const given = new Map<string, string>();
  for (const part of header.split(",")) {
    const [name = "", value = ""] = (part.split(";", 1)[0] ?? "").split("=", 2).map((piece) => piece.trim());
    if (!given.has(name.toLowerCase())) given.set(name.toLowerCase(), value.replace(/^"(.*)"$/, "$1"));
  }
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
  return value !== undefined && value.length <= longestNumber && /^\d+$/.test(value) ? Number(value) : undefined;
}
