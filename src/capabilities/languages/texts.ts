import { compileTemplate, fill, matchTemplate, type Template } from "./template.js";

/** Translates an English text; `undefined` if it is not in the catalogue. */
export type TranslateText = (english: string) => string | undefined;

/** Longer texts are not translated, so that their length bounds the time. */
const maxCharacters = 8_192;
/** How deep texts stand in texts: "Operation 3 (add): …". */
const maxDepth = 4;

/** Prepares the texts of a catalogue. */
export function compileTexts(texts: Readonly<Record<string, string>>): TranslateText {
  const whole = new Map<string, string>();
  // By their first character, as most texts begin with a word.
  const byStart = new Map<string, Template[]>();
  for (const [english, translation] of Object.entries(texts)) {
    const template = compileTemplate(english, translation);
    if (template.gaps.length === 0) whole.set(english, translation);
    else {
      const start = template.literals[0]?.charAt(0) ?? "";
      byStart.set(start, [...(byStart.get(start) ?? []), template]);
    }
  }
  const conjunctions = { or: whole.get(" or ") ?? " or ", and: whole.get(" and ") ?? " and " };
  const translate = (english: string, depth: number): string | undefined => {
    const known = whole.get(english);
    if (known !== undefined || depth > maxDepth) return known;
    for (const template of [...(byStart.get(english.charAt(0)) ?? []), ...(byStart.get("") ?? [])]) {
      const values = matchTemplate(template, english);
      const filled = values && filledWith(template, values, depth);
      if (filled !== undefined) return filled;
    }
    return undefined;
  };
  const filledWith = ({ gaps, translation }: Template, values: readonly string[], depth: number): string | undefined =>
    fill(translation, (name) => {
      const index = gaps.findIndex((gap) => gap.name === name);
      const value = values[index] ?? "";
      const kind = gaps[index]?.kind;
      // Within a sentence a text has lost its full stop.
      if (kind === "text") return translate(value, depth + 1) ?? translate(`${value}.`, depth + 1)?.replace(/\.$/, "");
      if (kind === "known") return whole.get(value) ?? value;
      return kind === "list" ? listed(value, conjunctions) : value;
    });
  return (english) => (english.length > maxCharacters ? undefined : translate(english, 0));
}

/** @returns `undefined` for a text that is more than a list of words: it would stay in English */
function listed(list: string, { or, and }: { readonly or: string; readonly and: string }): string | undefined {
  if (list.split(/, | or | and /).some((word) => /\s/.test(word))) return undefined;
  return list.replaceAll(" or ", or).replaceAll(" and ", and);
}
