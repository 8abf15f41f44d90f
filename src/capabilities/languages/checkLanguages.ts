import { either, named, oneOf, optionsCheck, passing, strict, text } from "../../ground/options/index.js";
import { closest } from "../../ground/problem/closest.js";
import { codes } from "../../ground/problem/codes.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { ownCode } from "../../ground/problem/ownProblem.js";
import type { LanguageOptions } from "./capability.js";
import type { Catalogue } from "./catalogue.js";
import { faultOf } from "./template.js";

const tagPattern = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;

const checkCatalogue = /* @__PURE__ */ optionsCheck("languages", () =>
  strict<Catalogue>(
    {
      titles: named(text(), "an object with titles by codes and statuses"),
      texts: named(text(), "an object with texts by their English texts"),
      codes: named(
        either(
          "a text, or a function of the problem",
          text(),
          passing("", (value) => typeof value === "function"),
        ),
        "an object with texts by codes",
      ),
    },
    ["titles"],
  ),
);

/** @throws {ConfigurationError} for what the capability cannot use */
export function checkLanguages(options: LanguageOptions): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new ConfigurationError("languages: the options must be an object with a catalogue for each language.");
  }
  const { default: preferred, ...catalogues } = options;
  for (const [tag, catalogue] of Object.entries(catalogues)) {
    if (!tagPattern.test(tag)) throw new ConfigurationError(`languages: "${tag.slice(0, 64)}" is not the tag of a language, such as de or pt-BR.`);
    checkCatalogue(catalogue, `languages: "${tag}"`);
    requireTexts(tag, catalogue as Catalogue);
  }
  const allowed = ["en", ...Object.keys(catalogues)];
  optionsCheck("languages", () => strict<{ default?: string }>({ default: oneOf(...allowed) }))({ default: preferred });
}

function requireTexts(tag: string, { titles, texts = {}, codes: details = {} }: Catalogue): void {
  for (const code of Object.keys(details)) requireCode(tag, "codes", code);
  for (const code of Object.keys(titles)) if (!/^[45]\d\d$/.test(code)) requireCode(tag, "titles", code);
  for (const [english, translation] of Object.entries(texts)) {
    const fault = faultOf(english, translation);
    if (fault !== undefined) throw new ConfigurationError(`languages: the text of "${tag}" for "${english.slice(0, 128)}" ${fault}.`);
  }
}

/** A code that is not built in may be one of the developer's own, unless it is one edit away from a built-in one. */
function requireCode(tag: string, member: string, code: string): void {
  if (code in codes || code === "DUPLICATE") return;
  const near = closest(code, [...Object.keys(codes), "DUPLICATE"], 1);
  if (near === undefined && ownCode.test(code)) return;
  const where = `languages: "${member}" of "${tag}" names "${code.slice(0, 64)}"`;
  if (near === undefined)
    throw new ConfigurationError(`${where}, which is not a code of problems; codes are in upper case, such as "ORDER_SHIPPED".`);
  throw new ConfigurationError(`${where}, which is not a code of problems. Did you mean "${near}"? Codes of your own must differ from it by more.`);
}
