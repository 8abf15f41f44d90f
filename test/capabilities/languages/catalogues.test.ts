import { describe, expect, test } from "vitest";
import { de } from "../../../examples/languages/de.js";
import { fr } from "../../../examples/languages/fr.js";
import { compileTemplate, gapNames, matchTemplate } from "../../../src/capabilities/languages/template.js";
import { compileTexts } from "../../../src/capabilities/languages/texts.js";
import { codes } from "../../../src/ground/problem/codes.js";
import { problemDocument } from "../../../src/ground/problem/index.js";
import { ProblemError } from "../../../src/ground/problem/problem.js";
import { sourceTexts } from "./sourceTexts.js";

const catalogues = [
  ["German", de],
  ["French", fr],
] as const;

/** Details that the code composes of several texts, as the sources have them, and what they can be. */
const composed: Readonly<Record<string, readonly string[]>> = {
  'Unknown 7 "7" in "7".': ['Unknown field "a" in "fields".', 'Unknown relation "a" in "include".', 'Unknown type "a" in "fields[a]".'],
  "An Idempotency-Key must be 7; got 7 characters.": [
    "An Idempotency-Key must be 16 to 255 visible ASCII characters without comma and double quote, e.g. a UUID; got 2 characters.",
  ],
  "7 7": ['Operation 0 (add): the document has no member "a".', 'Operation 1 (test): "/a" is an array; "x" is not an index of it, allowed: 0 to 3.'],
  'Unknown operator 7 for "7". 7': ['Unknown operator "a" for "b". Allowed: eq, ne.', 'Unknown operator "a" for "b". It cannot be filtered by.'],
  '"7" is not allowed on "7". 7': ['"gt" is not allowed on "b". Allowed: eq, ne.', '"gt" is not allowed on "b". It cannot be filtered by.'],
  '"7" 7.': ['"fields" needs a comma at character 3.', '"fields" has an open brace at character 3.', '"fields" has no open brace at character 3.'],
  "7 has an empty name at character 7.": ['"fields" has an empty name at character 3.'],
  '7 has "77" at character 7, where a name is expected.': ['"fields" has "a}" at character 3, where a name is expected.'],
  '"7" 77.': ['"id" names the resource and cannot be changed.', '"rank" is set by the server.'],
  "7 may be given once.": ['"sort" may be given once.', '"a=" and "a[eq]": "eq" of "a" may be given once.'],
  "Unknown field 7 in 7.7": ['Unknown field "a" in "a[gt]". Did you mean "b"?', 'Unknown field "a" in "a".'],
  "7 is used up; try again in 7 seconds.": [
    "The rate limit is used up; try again in 5 seconds.",
    'The limit "minute", 3 in 60 seconds, is used up; try again in 5 seconds.',
  ],
  'The body must come 7; got "7".': [
    'The body must come without a content coding; got "br".',
    'The body must come in gzip or br, or without a content coding; got "zstd".',
  ],
  "7 A compressed body must not expand to more than 7 times its size.": [
    "The body is larger than 1048576 bytes. A compressed body must not expand to more than 200 times its size.",
  ],
  "A body parser of this server has read the body before restwright: 7. Mount restwright before body parsers.": [
    "A body parser of this server has read the body before restwright: a body parser has already parsed it. Mount restwright before body parsers.",
  ],
  "Without a filter this would change every row.7": [
    "Without a filter this would change every row.",
    'Without a filter this would change every row. Narrow the filter, or confirm with "confirm=true".',
    "Without a filter this would change every row. If the body with the ids was lost on the way, send it to POST /users/batch-delete.",
  ],
  "The value of 7 cannot be a segment of a url; allowed is 7.": [
    'The value of "a.data" cannot be a segment of a url; allowed is text, a number or a boolean that is not empty and holds no segment "." or "..".',
  ],
  "The reference 7 does not exist in that result.7": ['The reference "a.data.b" does not exist in that result. The last object found has: id, name.'],
  "A search has no member 7.7": ['A search has no member "a". Did you mean "q"?'],
  "Unknown parameter 7.7": ['Unknown parameter "a".', 'Unknown parameter "srot". Did you mean "sort"?'],
  '"collection" must name a collection; 7.7': ['"collection" must name a collection; there is no "a". Did you mean "b"?'],
  'Unknown member "7".7': ['Unknown member "nmae". Did you mean "name"?', 'Unknown member "x".'],
  "An export has no member 7.7": ['An export has no member "a".'],
  "7 applies to lists only: 7.": ['"page" applies to lists only: an export contains all matching rows.'],
  "7, line 7: 7": ["Header, line 1: the row is longer than 10 bytes.", "Row 3, line 4: column 2 begins with a quote that is never closed."],
  "No 7 are accepted as 7; 7.": ['No files are accepted as "a"; none are accepted.', 'No fields are accepted as "a"; accepted are "b", "c".'],
  "7 The data 7 is kept.": [
    "Another request for this upload arrived. The data so far is kept.",
    "No data arrived for too long. The data before this request is kept.",
  ],
  "7 may be tested 7 times a minute; try again in 7 seconds.": ["A webhook may be tested 6 times a minute; try again in 5 seconds."],
  '"collection" must name a collection that accepts imports; 7.7': ['"collection" must name a collection that accepts imports; it is missing.'],
  '"mode=7" is not possible: "7" has no 7.': ['"mode=upsert" is not possible: "users" has no create and no update.'],
  "The storage has no transactions: 7.": ['The storage has no transactions: a dry run is not possible. Remove "dryRun".'],
};

/** Messages of zod, hints, and values with texts in them. */
const samples = [
  "Invalid input: expected string, received number",
  'Invalid option: expected one of "open"|"paid"',
  "Too small: expected string to have >=1 characters",
  "Too big: expected number to be <=9",
  "Invalid email address",
  'Unrecognized keys: "a", "b"',
  "Required; expected int.",
  '"perPage" must be a whole number from 1 to 100; got "x".',
  '"count" must be one of exact, estimated, none; got an array.',
  '"onError" must be continue or stop; got "x".',
  '"total" must be a number; got "x".',
  'The value of "name" and "status" is taken.',
  "The body must be application/json or text/csv in UTF-8; no Content-Type was sent.",
  'The body is not JSON: unexpected "x" at line 1, column 2.',
  "Arrays and objects are nested deeper than 64 levels. Byte 65 opens one more.",
  'Not allowed to delete from "users".',
  'The header "upload-length" must be a whole number of bytes; got "x".',
  'The file is image/png, and "pdf" by its name; allowed are image/png, under names and types of their own.',
  "Depth of the filter: 9; allowed: 8.",
  'did you mean "name"',
  "a comma inside a value is written %2C",
];

/** Files whose problems all have one code. */
const codeOf = (file: string) => (file.startsWith("parts/multipart/") ? "MALFORMED_MULTIPART" : "");

describe.each(catalogues)("the %s catalogue", (_, { titles, texts = {}, codes: details = {} }) => {
  test("has a title for every code and every status", () => {
    const statuses = Object.values(codes).map(({ status }) => String(status));
    expect([...Object.keys(codes), "DUPLICATE", ...statuses].filter((name) => titles[name] === undefined)).toEqual([]);
  });

  test("has a text for every detail of the sources", () => {
    const templates = Object.keys(texts).map((english) => compileTemplate(english, ""));
    const isKnown = (text: string) =>
      text in texts || templates.some((template) => template.gaps.length > 0 && matchTemplate(template, text) !== undefined);
    const found = sourceTexts();
    expect(found.length).toBeGreaterThan(250);
    const missing = found.filter(
      ({ file, text, codes: near }) => !(text in composed) && !isKnown(text) && ![...near, codeOf(file)].some((code) => code in details),
    );
    expect(missing.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  test.each([...Object.values(composed).flat(), ...samples])("translates %s", (english) => {
    const translated = compileTexts(texts)(english);
    expect(translated).toBeDefined();
    expect(translated).not.toMatch(/\b(?:the|must|allowed|is|of|received|expected)\b/i);
  });

  test("repeats every value of the English text", () => {
    const lacking = Object.entries(texts).filter(([english, text]) => gapNames(english).some((name) => !gapNames(text).includes(name)));
    expect(lacking).toEqual([]);
  });

  test("has no text that is still English", () => {
    // Names, and words that are equal in both languages.
    const isSame = Object.entries(texts).filter(([english, text]) => english === text && / [a-z]+ /.test(english));
    expect(isSame).toEqual([]);
  });
});

test("both catalogues have the same texts", () => {
  for (const member of ["titles", "texts", "codes"] as const) expect(Object.keys(fr[member] ?? {})).toEqual(Object.keys(de[member] ?? {}));
});

test("a code without a status phrase has its own title", () => {
  const { title } = problemDocument(new ProblemError("NOT_FOUND", "x", { status: 418 }), "r");
  expect(de.titles["NOT_FOUND"]).not.toBe(title);
});
