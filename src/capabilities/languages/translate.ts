import type { ProblemDocument, ProblemItem } from "../../ground/problem/index.js";
import { type Catalogue, catalogueCode, type DescribeProblem } from "./catalogue.js";
import { fill } from "./template.js";
import { compileTexts, type TranslateText } from "./texts.js";

/** Translates a problem with all of its items; `undefined` if the catalogue lacks one of its texts, as no problem is in two languages. */
export type TranslateDocument = (document: ProblemDocument) => ProblemDocument | undefined;

/** Prepares a catalogue. */
export function compileCatalogue({ titles, texts = {}, codes = {} }: Catalogue): TranslateDocument {
  const words: Words = { translateText: compileTexts(texts), codes };
  return (document) => {
    const title = titleOf(document, titles);
    const translated = title === undefined ? undefined : translateItem(document, words);
    return translated && { ...(translated as ProblemDocument), title: title ?? "" };
  };
}

interface Words {
  readonly translateText: TranslateText;
  readonly codes: Readonly<Record<string, string | DescribeProblem>>;
}

/** Without a page of the codes, a problem has the title of its status. */
function titleOf({ type, status, code }: ProblemDocument, titles: Catalogue["titles"]): string | undefined {
  const ofCode = titles[catalogueCode(code)];
  return type === "about:blank" ? (titles[String(status)] ?? ofCode) : ofCode;
}

/** A problem, one of its `errors`, or one of theirs: the rows of an import have errors of their own, and no detail. */
type Item = Partial<ProblemItem> & { readonly errors?: unknown };

function translateItem(item: Item, words: Words): Item | undefined {
  const translated: { detail?: string; hint?: string; errors?: unknown } = {};
  if (item.detail !== undefined) {
    const detail = detailOf(item as ProblemItem, words);
    if (detail === undefined) return undefined;
    translated.detail = detail;
  }
  if (item.hint !== undefined) {
    const hint = hintOf(item.hint, words.translateText);
    if (hint === undefined) return undefined;
    translated.hint = hint;
  }
  if (Array.isArray(item.errors)) {
    const errors = item.errors.map((each: Item) => translateItem(each, words));
    if (errors.includes(undefined)) return undefined;
    translated.errors = errors;
  }
  return { ...item, ...translated };
}

/** A hint without white space is a value to send, not a sentence. */
function hintOf(hint: string, translateText: TranslateText): string | undefined {
  return translateText(hint) ?? (/\s/.test(hint) ? undefined : hint);
}

function detailOf(problem: ProblemItem | ProblemDocument, { translateText, codes }: Words): string | undefined {
  const translated = translateText(problem.detail);
  if (translated !== undefined) return translated;
  const ofCode = codes[catalogueCode(problem.code)];
  return typeof ofCode === "function" ? ofCode(problem) : ofCode && fill(ofCode, (name) => shown(problem, name));
}

/** A member of a problem as text; `undefined` if it has none that can be shown. */
function shown(problem: object, name: string): string | undefined {
  const value = Object.hasOwn(problem, name) ? (problem as Readonly<Record<string, unknown>>)[name] : undefined;
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
