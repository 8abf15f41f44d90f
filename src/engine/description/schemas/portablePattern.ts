/** A piece of a regular expression: an escape, the head of a group, a quantifier, a range of a class, or one character. */
const pieces =
  /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[pP]\{[^}]*\}|k<[^>]*>|[\s\S])|\(\?(?:<[=!]|<[^>]*>|[^)])|\{\d+(?:,\d*)?\}|[\p{L}\d]-[\p{L}\d]|[\s\S]/giu;

/** What must be escaped, or means something else than itself after a backslash. */
const meaningful = /^\\(?:[\^$\\.*+?()[\]{}|/dDsSwWbBfnrtv0-9]|..)/;

/**
 * The source of a regular expression in the form that JSON Schema has: without flags, and read with the flag `u`, as validators do. Escapes that `u` forbids are
 * dropped, and the flags `i` and `s` are written out. `undefined` if such a form is missing.
 */
export function portablePattern({ source, flags }: RegExp): string | undefined {
  if (/[mvy]/.test(flags)) return undefined;
  const [ignoresCase, dotAll] = [flags.includes("i"), flags.includes("s")];
  let isClass = false;
  let text = "";
  for (const [piece] of source.matchAll(pieces)) {
    if (ignoresCase && dependsOnCase(piece)) return undefined;
    const isInside = isClass;
    if (piece === (isClass ? "]" : "[")) isClass = !isClass;
    if (piece === "." && dotAll && !isClass) text += "[\\s\\S]";
    else if (ignoresCase && !/^[\\(]./.test(piece)) text += anyCase(piece, isInside);
    else text += strict(piece, isInside);
  }
  return isValid(text) ? text : undefined;
}

/** Names of characters, back references, and ranges of other letters than those of one case of ASCII have no short form of both cases. */
function dependsOnCase(piece: string): boolean {
  const isRange = /^.-.$/u.test(piece) && !/^(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d)$/.test(piece);
  return isRange || /^\\(?:[ux][\da-f{]|[pPk][{<]|[1-9])|^\(\?[a-z-]/.test(piece);
}

/** A piece that the flag `u` allows, and that means the same without it. */
function strict(piece: string, isClass: boolean): string {
  if (piece.startsWith("\\")) return meaningful.test(piece) || (isClass && piece === "\\-") ? piece : piece.slice(1);
  return !isClass && /^[\]{}]$/.test(piece) ? `\\${piece}` : piece;
}

function anyCase(piece: string, isClass: boolean): string {
  if (!isClass && piece.length === 3 && piece[1] === "-") return Array.from(piece, (each) => anyCase(each, false)).join("");
  const [lower, upper] = [piece.toLowerCase(), piece.toUpperCase()];
  if (lower === upper || lower.length !== upper.length) return strict(piece, isClass);
  return isClass ? lower + upper : `[${lower}${upper}]`;
}

function isValid(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
