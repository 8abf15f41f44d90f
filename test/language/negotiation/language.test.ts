import fc from "fast-check";
import { expect, test } from "vitest";
import { selectLanguage } from "../../../src/language/negotiation/index.js";

const offered = ["en", "de", "fr"] as const;

test.each([
  [undefined, "en"],
  ["", "en"],
  ["de", "de"],
  ["DE-at", "de"],
  ["de-AT-1996-x-private", "de"],
  ["fr-CA, de;q=0.8", "fr"],
  ["da, en-gb;q=0.8, en;q=0.7", "en"],
  ["de;q=0.5, fr;q=0.9", "fr"],
  ["fr, de", "fr"],
  ["it, *", "en"],
  ["*", "en"],
  ["*, fr;q=0.1", "fr"],
  ["*;q=0.1, it", "en"],
  ["en;q=0, *", "de"],
  ["de-CH, de;q=0, fr;q=0.1", "fr"],
  ["it", undefined],
  ["*;q=0", undefined],
  ["de;q=0", undefined],
  ["de_AT", undefined],
  ["de-*-AT", undefined],
  ["deutschlandisch", undefined],
  ["1337, fr", "fr"],
])("of Accept-Language: %s is %s", (header, tag) => {
  expect(selectLanguage(header, offered)).toBe(tag);
});

// RFC 4647 §3.4
test.each([
  ["zh-Hant-CN-x-private1-private2", ["zh-Hant-CN-x-private1", "zh"], "zh-Hant-CN-x-private1"],
  ["zh-Hant-CN-x-private1-private2", ["zh-Hant-CN-x", "zh-Hant-CN"], "zh-Hant-CN"],
  ["zh-Hant-CN-x-private1-private2", ["zh", "zh-Hant"], "zh-Hant"],
  ["zh-Hant-CN-x-private1-private2", ["en", "zh"], "zh"],
  ["zh-Hant-CN-x-private1-private2", ["en"], undefined],
  ["fr-FR, zh-Hant", ["en", "zh-Hans", "fr-CA"], undefined],
  ["fr-FR, zh-Hant", ["en", "zh", "fr"], "fr"],
  ["fr-FR, zh-Hant", ["en", "zh-Hant", "fr-CA"], "zh-Hant"],
  ["en", ["en-US"], undefined],
  ["en-a-bbb-x", ["en-a", "en"], "en"],
  ["en-GB, en;q=0", ["en", "en-GB"], "en-GB"],
  ["en-US, en;q=0, *", ["en", "en-US", "de"], "en-US"],
  ["en;q=0, *", ["en-US", "de"], "de"],
] as const)("of %s among %j is %s", (header, tags, tag) => {
  expect(selectLanguage(header, tags)).toBe(tag);
});

test("a language is one of those offered, and a subtag of a range that the client likes", () => {
  const subtags = fc.array(fc.constantFrom("de", "en", "x", "a", "1996", "latn"), { maxLength: 4 });
  const tag = fc.tuple(fc.constantFrom("de", "en", "x"), subtags).map(([first, others]) => [first, ...others].join("-"));
  const property = fc.property(fc.array(tag, { minLength: 1, maxLength: 5 }), fc.array(tag, { minLength: 1, maxLength: 5 }), (ranges, tags) => {
    const selected = selectLanguage(ranges.join(", "), tags);
    const isFound = (each: string) => ranges.some((range) => range === each || range.startsWith(`${each}-`));
    if (selected === undefined) expect(tags.filter((each) => ranges.includes(each))).toEqual([]);
    else expect(tags.filter(isFound)).toContain(selected);
  });
  fc.assert(property, { seed: 1 });
});
