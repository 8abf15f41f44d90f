import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTags, strongTag, versionOf, weakTag } from "../../../src/language/conditional/etag.js";
import { cpuMsSince } from "../../tools/cpuMs.js";

describe("a tag", () => {
  test("of the full representation is its version, of another view its version and view", () => {
    expect(strongTag("01H")).toBe('"01H"');
    expect(strongTag("01H", undefined)).toBe('"01H"');
    expect(strongTag("01H", "ab12cd34")).toBe('"01H.ab12cd34"');
  });

  test("of a collection is weak and changes with the body", () => {
    expect(weakTag("[]")).toMatch(/^W\/"[^"]+"$/);
    expect(weakTag("[]")).toBe(weakTag("[]"));
    expect(weakTag("[1]")).not.toBe(weakTag("[2]"));
  });

  test.each([
    ["01H", "01H"],
    ["01H.ab12cd34", "01H"],
    ["01H.a.b", "01H"],
    ["", ""],
  ])("%j stands for the version %j", (opaque, version) => {
    expect(versionOf(opaque)).toBe(version);
  });
});

describe("a list of tags", () => {
  const strong = (opaque: string) => ({ weak: false, opaque });
  const weak = (opaque: string) => ({ weak: true, opaque });

  test.each([
    ["*", "*"],
    [" * ", "*"],
    ["\t*", "*"],
    // The examples of RFC 9110 §13.1.1 and §13.1.2.
    ['"xyzzy"', [strong("xyzzy")]],
    ['"xyzzy", "r2d2xxxx", "c3piozzzz"', [strong("xyzzy"), strong("r2d2xxxx"), strong("c3piozzzz")]],
    ['W/"xyzzy"', [weak("xyzzy")]],
    ['W/"xyzzy", W/"r2d2xxxx", W/"c3piozzzz"', [weak("xyzzy"), weak("r2d2xxxx"), weak("c3piozzzz")]],
    ['""', [strong("")]],
    ['W/""', [weak("")]],
    ['"a,b","c"', [strong("a,b"), strong("c")]],
    ['"W/"', [strong("W/")]],
    ['"\\"', [strong("\\")]],
    ['"*"', [strong("*")]],
    ['"\u00e9"', [strong("\u00e9")]],
    [' ,, "a" ,\t, "b" , ', [strong("a"), strong("b")]],
    ["", []],
    [" , ", []],
  ])("%j is read", (header, tags) => {
    expect(parseTags(header)).toEqual(tags);
  });

  test.each([
    "a",
    '"a',
    'a"',
    '"a" "b"',
    '"a""b"',
    '"a"x',
    'w/"a"',
    'W "a"',
    'W/ "a"',
    "W/",
    "W/a",
    "W/*",
    '*, "a"',
    '"a", *',
    "**",
    "'a'",
    '"a b"',
    '"a\tb"',
    '"\u007f"',
    '"\u20ac"',
    '"a";q=1',
  ])("%j is malformed", (header) => {
    expect(parseTags(header)).toBeUndefined();
  });

  test("that was written is read back", () => {
    const opaque = fc.stringMatching(/^[!#-~\u0080-\u00ff]{0,20}$/);
    const tag = fc.record({ weak: fc.boolean(), opaque });
    const separator = fc.constantFrom(",", ", ", " ,\t", ",,", ", , ");
    fc.assert(
      fc.property(fc.array(tag), separator, (tags, between) => {
        const header = tags.map((each) => `${each.weak ? "W/" : ""}"${each.opaque}"`).join(between);
        expect(parseTags(header)).toEqual(tags);
      }),
    );
  });

  test("never makes the parser throw", () => {
    const parts = fc.constantFrom("W", "/", '"', ",", " ", "*", "a", ".", "\\", "é");
    const headers = fc.oneof(
      fc.string(),
      fc.array(parts).map((each) => each.join("")),
    );
    fc.assert(
      fc.property(headers, (header) => {
        expect(() => parseTags(header)).not.toThrow();
      }),
    );
  });

  test("is read in linear time", () => {
    const before = process.cpuUsage();
    for (const part of ['"', ",", " ", 'W/"', '"a",', "W/"]) parseTags(part.repeat(200_000));
    expect(cpuMsSince(before)).toBeLessThan(1_000);
  });
});
