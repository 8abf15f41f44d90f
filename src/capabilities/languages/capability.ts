import type { Capability } from "../../engine/capability/capability.js";
import type { TranslateProblem } from "../../engine/operation/answers/translation.js";
import type { Logger } from "../../engine/operation/logging/logger.js";
import type { HttpRequest } from "../../ground/http/message.js";
import { selectLanguage } from "../../language/negotiation/language.js";
import type { Catalogue } from "./catalogue.js";
import { checkLanguages } from "./checkLanguages.js";
import { compileCatalogue, type TranslateDocument } from "./translate.js";

/** A catalogue for each language, by its tag (RFC 5646), and the language of clients that ask for none of them. */
export interface LanguageOptions {
  readonly [tag: string]: Catalogue | string | undefined;
  /** The tag of a catalogue, or `en`, which needs none. Defaults to `en`. */
  readonly default?: string | undefined;
}

/** The language of the texts in the code. */
const builtIn = "en";

/**
 * Sends problems in the language that a client prefers (`Accept-Language`), from a catalogue for each language: title, detail, and each entry of `errors`, also in the
 * items of a batch. A problem of which the catalogue lacks a text is sent as it is.
 *
 * @throws {ConfigurationError} for an invalid tag, a misspelled code, and a text with a placeholder that its English text does not have
 * @see RFC 4647 §3.4
 * @example
 * createService({ resources, storage, use: [languages({ de, fr })] });
 */
export function languages(options: LanguageOptions): Capability {
  checkLanguages(options);
  const { default: preferred = builtIn, ...catalogues } = options;
  const compiled = new Map<string, TranslateDocument>();
  for (const [tag, catalogue] of Object.entries(catalogues)) {
    if (typeof catalogue === "object") compiled.set(tag, compileCatalogue(catalogue));
  }
  const offered = [...new Set([preferred, builtIn, ...compiled.keys()])];
  return { name: "languages", open: ({ environment: { logger } }) => ({ offers: translatorOf(compiled, offered, logger) }) };
}

/** @param offered the default language first */
function translatorOf(compiled: ReadonlyMap<string, TranslateDocument>, offered: readonly string[], logger: Logger): TranslateProblem {
  const fallback = offered[0] ?? builtIn;
  return (problem, document, request) => {
    const own = problem.headers["content-language"];
    // Who throws a problem in a language that it names has translated it.
    if (own !== undefined) return { document, headers: { vary: "Accept-Language" } };
    const language = languageOf(request, offered) ?? fallback;
    try {
      const translated = compiled.get(language)?.(document);
      if (translated !== undefined) return { document: translated, headers: { "content-language": language, vary: "Accept-Language" } };
    } catch (error) {
      logger.error({ err: error, language, code: problem.code }, "A function of a catalogue failed; the problem is sent as it is.");
    }
    return { document, headers: { "content-language": builtIn, vary: "Accept-Language" } };
  };
}

/** @returns `undefined` for a header that asks for none of them, or that cannot be used: a problem must not become another one because of its language */
function languageOf({ headers }: HttpRequest, offered: readonly string[]): string | undefined {
  const lines = headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === "accept-language");
  try {
    return selectLanguage(lines.length === 0 ? undefined : lines.join(", "), offered);
  } catch {
    return undefined;
  }
}
