/** A part of an English text that a value takes: `{name}`, `{*name}`, `{?name}` or `{&name}`. */
interface Gap {
  readonly name: string;
  /** `value` is repeated, `text` is translated itself, `known` is so if the catalogue has it, and in a `list` the words "and" and "or" are. */
  readonly kind: "value" | "text" | "known" | "list";
}

/** An English text with gaps, and what it is in another language. */
export interface Template {
  /** One more than gaps: what is before, between and after them. */
  readonly literals: readonly string[];
  readonly gaps: readonly Gap[];
  readonly translation: string;
}

const gapPattern = /\{([*?&]?)(\w+)\}/g;

/** Names of the gaps in a text. */
export function gapNames(text: string): readonly string[] {
  return [...text.matchAll(gapPattern)].map(([, , name = ""]) => name);
}

/** @returns a message if the two texts do not belong together */
export function faultOf(english: string, translation: string): string | undefined {
  const names = gapNames(english);
  const unknown = gapNames(translation).find((name) => !names.includes(name));
  if (unknown !== undefined) return `uses {${unknown}}, which the English text does not have`;
  if (/\}\{[*?&]?\w+\}/.test(english)) return "has two placeholders without a text between them";
  return undefined;
}

export function compileTemplate(english: string, translation: string): Template {
  const parts = english.split(gapPattern);
  return {
    literals: parts.filter((_, index) => index % 3 === 0),
    gaps: parts.flatMap((name, index) => (index % 3 === 2 ? [{ name, kind: kindOf(parts[index - 1]) }] : [])),
    translation,
  };
}

function kindOf(mark: string | undefined): Gap["kind"] {
  if (mark === "*") return "text";
  if (mark === "?") return "known";
  return mark === "&" ? "list" : "value";
}

/** What a text has in the gaps; `undefined` if it is another text. The time is linear in its length, whatever a client wrote into it. */
export function matchTemplate({ literals }: Template, text: string): readonly string[] | undefined {
  const [first = ""] = literals;
  const last = literals.at(-1) ?? "";
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || first.length > end) return undefined;
  const values: string[] = [];
  let start = first.length;
  for (const literal of literals.slice(1, -1)) {
    const found = text.indexOf(literal, start + 1);
    if (found === -1 || found + literal.length > end) return undefined;
    values.push(text.slice(start, found));
    start = found + literal.length;
  }
  if (start >= end) return undefined;
  values.push(text.slice(start, end));
  return values;
}

/** Puts values into the gaps of a text. @returns `undefined` if one is missing */
export function fill(text: string, find: (name: string) => string | undefined): string | undefined {
  let isComplete = true;
  const filled = text.replace(gapPattern, (_, __, name: string) => {
    const value = find(name);
    isComplete &&= value !== undefined;
    return value ?? "";
  });
  return isComplete ? filled : undefined;
}
