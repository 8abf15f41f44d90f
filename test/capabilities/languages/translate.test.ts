import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileTemplate, faultOf, matchTemplate } from "../../../src/capabilities/languages/template.js";
import { compileTexts } from "../../../src/capabilities/languages/texts.js";
import { compileCatalogue } from "../../../src/capabilities/languages/translate.js";
import { type ProblemDocument, ProblemError, type ProblemItem, problemDocument } from "../../../src/ground/problem/index.js";
import { cpuMsSince } from "../../tools/cpuMs.js";

const texts = {
  " or ": " oder ",
  "The file is empty.": "Die Datei ist leer.",
  'There is no "{id}" in "{collection}".': "„{id}“ gibt es in „{collection}“ nicht.",
  '"{name}" must be {*expected}; got {got}.': "„{name}“ muss {expected} sein; gesendet: {got}.",
  "a number from {min} to {max}": "eine Zahl von {min} bis {max}",
  "true or false": "true oder false",
  "allowed: {&list}": "erlaubt: {list}",
  '{*sentence} Did you mean "{near}"?': "{sentence} Meinten Sie „{near}“?",
  'did you mean "{near}"': "gemeint ist vielleicht „{near}“",
  "{count} problems were found.": "{count} Fehler.",
};

describe("a text of a catalogue", () => {
  const translate = compileTexts(texts);

  test.each([
    ["The file is empty.", "Die Datei ist leer."],
    ['There is no "7" in "users".', "„7“ gibt es in „users“ nicht."],
    ['There is no "a" in "b" in "users".', '„a“ gibt es in „b" in "users“ nicht.'],
    ['"age" must be a number from 1 to 9; got "x".', '„age“ muss eine Zahl von 1 bis 9 sein; gesendet: "x".'],
    ["allowed: a, b or c", "erlaubt: a, b oder c"],
    ['The file is empty. Did you mean "x"?', "Die Datei ist leer. Meinten Sie „x“?"],
    ["3 problems were found.", "3 Fehler."],
    // An inner text that is not known.
    ['"age" must be a prime; got "x".', undefined],
    ["The file is empty", undefined],
    ['There is no "" in "users".', undefined],
    ["", undefined],
    ["x".repeat(10_000), undefined],
  ])("translates %j to %j", (english, translation) => {
    expect(translate(english)).toBe(translation);
  });

  test("is found with any values, and gives them back", () => {
    const value = fc.stringMatching(/^[a-z0-9 ]{1,20}$/);
    const property = fc.property(value, value, (id, collection) => {
      expect(translate(`There is no "${id}" in "${collection}".`)).toBe(`„${id}“ gibt es in „${collection}“ nicht.`);
    });
    fc.assert(property, { seed: 1 });
  });

  test("is not looked for longer than its length, whatever a client wrote into it", () => {
    const template = compileTemplate('{a}"{b}"{c}"{d}"{e}x', "{a}");
    const start = process.cpuUsage();
    for (const piece of ['"', 'a"', '""a']) expect(matchTemplate(template, piece.repeat(100_000))).toBeUndefined();
    expect(cpuMsSince(start)).toBeLessThan(200);
  });

  test.each([
    ["a {b}", "{b}", undefined],
    ["a {*b}", "{b}", undefined],
    ["a {b}", "{c}", "uses {c}, which the English text does not have"],
    ["a {b}{c}", "", "has two placeholders without a text between them"],
  ])("with %j for %j: %s", (english, translation, fault) => {
    expect(faultOf(english, translation)).toBe(fault);
  });
});

describe("a problem", () => {
  const translate = compileCatalogue({
    titles: { "404": "Nicht da", NOT_FOUND: "Nicht gefunden", "422": "Unverarbeitbar", DUPLICATE: "Doppelter Wert" },
    texts,
    codes: {
      FILE_TOO_LARGE: "Höchstens {maximum} Byte.",
      TYPE_NOT_ALLOWED: "Erlaubt: {allowed}.",
      CONFLICT: ({ detail }) => (detail === "Sold out." ? "Ausverkauft." : undefined),
      DUPLICATE: "{pointer} ist vergeben.",
    },
  });
  const sent = (problem: ProblemError, docs?: string): ProblemDocument | undefined => translate(problemDocument(problem, "r1", docs));
  const invalid = (...errors: ProblemItem[]) => new ProblemError("VALIDATION_FAILED", `${errors.length} problems were found.`, { errors });

  test("has the title of its status, or that of its code if codes have a page", () => {
    expect(sent(new ProblemError("NOT_FOUND", "The file is empty."))).toMatchObject({ title: "Nicht da", detail: "Die Datei ist leer." });
    expect(sent(new ProblemError("NOT_FOUND", "The file is empty."), "/codes")).toMatchObject({ title: "Nicht gefunden", type: "/codes#NOT_FOUND" });
  });

  test("has a text by its code, with what it carries, if its own text is not listed", () => {
    const items: ProblemItem[] = [
      { code: "FILE_TOO_LARGE", detail: "?", maximum: 5 },
      { code: "TYPE_NOT_ALLOWED", detail: "?", allowed: ["a", "b"] },
      { code: "CONFLICT", detail: "Sold out." },
      { code: "DUPLICATE_E_MAIL", detail: "?", pointer: "/eMail" },
    ];
    const details = sent(invalid(...items))?.errors?.map(({ detail }) => detail);
    expect(details).toEqual(["Höchstens 5 Byte.", "Erlaubt: a, b.", "Ausverkauft.", "/eMail ist vergeben."]);
  });

  test("keeps everything but its texts", () => {
    const problem = new ProblemError("VALIDATION_FAILED", 'There is no "7" in "users".', {
      errors: [{ code: "UNKNOWN_FIELD", detail: "The file is empty.", pointer: "/a", hint: 'did you mean "b"' }],
      extensions: { maximum: 3, detailed: true },
    });
    const document = problemDocument(problem, "0f6f4a0e-3a53-4c0b-9c43-3f5a2c8f1f0d");
    expect(translate(document)).toEqual({
      ...document,
      title: "Unverarbeitbar",
      detail: "„7“ gibt es in „users“ nicht.",
      errors: [{ code: "UNKNOWN_FIELD", detail: "Die Datei ist leer.", pointer: "/a", hint: "gemeint ist vielleicht „b“" }],
    });
  });

  test.each([
    ["its title", new ProblemError("GONE", "The file is empty.")],
    ["its detail", new ProblemError("NOT_FOUND", "My own text.")],
    ["the detail of an item", invalid({ code: "INVALID_VALUE", detail: "My own text." })],
    ["a hint", invalid({ code: "INVALID_VALUE", detail: "The file is empty.", hint: "my own hint" })],
    ["a value for a placeholder", invalid({ code: "FILE_TOO_LARGE", detail: "?" })],
    ["what its function returns", invalid({ code: "CONFLICT", detail: "My own text." })],
  ])("is not translated at all if the catalogue lacks %s", (_, problem) => {
    expect(sent(problem)).toBeUndefined();
  });

  test("with a hint that is a value keeps it", () => {
    expect(sent(invalid({ code: "INVALID_VALUE", detail: "The file is empty.", hint: "*,name" }))?.errors?.[0]?.hint).toBe("*,name");
  });
});
