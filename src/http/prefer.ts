/** The preferences of RFC 7240 that restwright honours. */
export interface Preferences {
  readonly return?: "minimal" | "representation" | undefined;
}

const none: Preferences = {};

/**
 * Reads a `Prefer` header. Unknown preferences and values are ignored; of a repeated preference the first counts.
 *
 * @see RFC 7240 §2
 */
export function parsePrefer(header: string | undefined): Preferences {
  if (header === undefined) return none;
  for (const part of header.split(",")) {
    const [name = "", value = ""] = (part.split(";", 1)[0] ?? "").split("=", 2).map((piece) => piece.trim());
    if (name.toLowerCase() !== "return") continue;
    const wanted = value.replace(/^"(.*)"$/, "$1");
    return wanted === "minimal" || wanted === "representation" ? { return: wanted } : none;
  }
  return none;
}
