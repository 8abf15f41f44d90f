import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../src/index.js";
import {
  maxAcceptBytes,
  maxAcceptRanges,
  namesXml,
  notAcceptable,
  parseWeighted,
  selectCharset,
  selectEncoding,
  selectLanguage,
  selectType,
} from "../../../src/language/negotiation/index.js";
import { problemFrom } from "../../ground/http/problemFrom.js";

const all = [
  ["Accept", (value: string) => selectType(value, ["text/csv"])],
  ["Accept", namesXml],
  ["Accept-Charset", (value: string) => selectCharset(value, ["utf-8"])],
  ["Accept-Encoding", (value: string) => selectEncoding(value, ["gzip"])],
  ["Accept-Language", (value: string) => selectLanguage(value, ["en"])],
] as const;

describe.each(all)("the header %s", (name, select) => {
  test("may have 2,048 bytes, and not one more", () => {
    const longest = `a;b=${"c".repeat(maxAcceptBytes - 4)}`;
    expect(() => select(longest)).not.toThrow();
    expect(problemFrom(() => select(`${longest}c`))).toMatchObject({
      code: "MALFORMED_HEADER",
      status: 400,
      errors: [{ code: "MALFORMED_HEADER", header: name, maximum: 2_048, detail: `The header ${name} has more than 2048 bytes.` }],
    });
  });

  test("may have 50 elements, and not one more; empty ones do not count", () => {
    const most = Array.from({ length: maxAcceptRanges }, (_, index) => `a${index}`).join(",, ,");
    expect(() => select(`,${most},`)).not.toThrow();
    expect(problemFrom(() => select(`${most},b`)).errors).toMatchObject([{ header: name, maximum: 50 }]);
  });

  test("never fails with anything but this problem", () => {
    const pieces = fc.constantFrom(",", ";", "=", '"', "\\", "q", "q=", "q=0", "*", "/", "*/*", "a", "de-", "x-", " ", "\t", "é", "1.0001");
    const header = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.array(pieces, { maxLength: 120 }).map((some) => some.join("")),
    );
    const property = fc.property(header, (value) => {
      try {
        select(value);
      } catch (error) {
        expect(error).toBeInstanceOf(ProblemError);
        expect(error).toMatchObject({ code: "MALFORMED_HEADER" });
      }
    });
    fc.assert(property, { seed: 1, numRuns: 500 });
  });
});

test.each([
  ["application/xml", true],
  ["text/xml;q=0.1, application/json", true],
  ["application/xml;q=0, application/json", false],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false],
  ["application/xml, text/html;q=0", true],
  ["*/*", false],
  ["application/*", false],
  [undefined, false],
  ["", false],
])("whether %s names XML: %s", (accept, names) => {
  expect(namesXml(accept)).toBe(names);
});

test.each([
  [undefined, undefined],
  ["", undefined],
  [" , ,\t", undefined],
  ["a;q", [{ range: "a", quality: 1 }]],
  ["A ; Q=0.5 ; q=1", [{ range: "a", quality: 0.5 }]],
  [
    'a;b="q=0,;\\"q=0";q=.25,b',
    [
      { range: "a", quality: 0.25 },
      { range: "b", quality: 1 },
    ],
  ],
  ["a;q=, b;q=., c;q=1.001, d;q=-1, e;q=0.0000, f;q=1.", [{ range: "f", quality: 1 }]],
  ["a b, c/d/e, é, f/g", [{ range: "f/g", quality: 1 }]],
])("the elements of %s are %j", (value, elements) => {
  expect(parseWeighted("Accept", value)).toEqual(elements);
});

test("a problem for a client that accepts nothing of what is offered says what is supported", () => {
  const problem = notAcceptable("Accept", ["application/json", "text/csv"]);
  expect(problem).toMatchObject({
    code: "NOT_ACCEPTABLE",
    status: 406,
    message: "Nothing that the header Accept accepts can be sent; supported: application/json, text/csv.",
    errors: [{ code: "NOT_ACCEPTABLE", header: "Accept", allowed: ["application/json", "text/csv"] }],
    extensions: { supported: ["application/json", "text/csv"] },
  });
});
