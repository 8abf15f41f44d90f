import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkJson } from "../../../src/ground/http/json/checkJson.js";
import { parseJson } from "../../../src/ground/http/json/json.js";
import { readJson } from "../../../src/ground/http/json/readJson.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { cpuMsSince } from "../../tools/cpuMs.js";
import { jsonCases } from "./jsonCases.js";
import { problemFrom } from "./problemFrom.js";

const limits = { depth: 64, members: 1_000, values: 20_000 };
const parse = (text: string) => parseJson(Buffer.from(text), limits);
const problemOf = (text: string) => problemFrom(() => parse(text));

describe("a JSON text", () => {
  test.each(jsonCases.valid)("%s is taken", (_name, text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  test.each(jsonCases.invalid)("%s is refused", (_name, body) => {
    const problem = problemFrom(() => parseJson(typeof body === "string" ? Buffer.from(body) : body, limits));
    expect(problem).toMatchObject({ code: "MALFORMED_JSON", status: 400, errors: [{ code: "MALFORMED_JSON", pointer: expect.any(String) }] });
  });

  test.each(jsonCases.undefinedBySpecification.filter(([name]) => name !== "i_number_large_integer"))(
    "%s becomes what JSON.parse makes of it",
    (_name, text) => {
      expect(parse(text)).toEqual(JSON.parse(text));
    },
  );

  test("may begin with a byte order mark, but not with two", () => {
    expect(parse("\uFEFF[1]")).toEqual([1]);
    expect(problemOf("\uFEFF\uFEFF[1]").code).toBe("MALFORMED_JSON");
  });

  test("is the text of its own bytes, also where they are a part of a larger buffer", () => {
    expect(parseJson(new Uint8Array(Buffer.from('xx{"a":1}yy')).subarray(2, 9), limits)).toEqual({ a: 1 });
  });

  test("is parsed into what was written", () => {
    const isRefused = (text: string) => /"(?:__proto__|constructor)"|\\u0000/.test(text);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!isRefused(text));
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("of any bytes at all throws nothing but problems", () => {
    const jsonish = fc.array(fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "\\", "\\u", "d800", "0", "1e999", "-", "null", "a", " ", "\0"));
    const bytes = fc.oneof(
      fc.uint8Array(),
      jsonish.map((parts) => new Uint8Array(Buffer.from(parts.join("")))),
    );
    fc.assert(
      fc.property(bytes, (body) => {
        try {
          parseJson(body, limits);
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
        }
      }),
    );
  });
});

describe("an integer", () => {
  test.each([
    ["9007199254740993", ""],
    ["-9007199254740993", ""],
    [" [9007199254740993\n]", "/0"],
    ['{"a":[1e21,100000000000000000000,{"b/c":123456789012345678901234567890}]}', "/a/2/b~1c"],
    ['{"1234567890123456789":"1234567890123456789","\\"":[12345678901234567,1]}', '/"/0'],
  ])("in %s would be rounded, and is refused at %j", async (text, pointer) => {
    const refused = { code: "INVALID_VALUE", status: 400, errors: [{ code: "INVALID_VALUE", pointer }] };
    expect(problemOf(text)).toMatchObject(refused);
    for (const sliceBytes of [1, 3, 8]) {
      const sliced = Promise.resolve().then(() => readJson(Buffer.from(text), limits, { sliceBytes }));
      await expect(sliced).rejects.toMatchObject(refused);
    }
    expect(parseJson(Buffer.from(text), limits, { checksText: false })).toEqual(JSON.parse(text));
  });

  test("is taken with the digits that a double is shown with, and with those that it has", () => {
    fc.assert(
      fc.property(fc.double({ min: 2 ** 53, max: 1e300, noNaN: true }), fc.boolean(), (double, isNegative) => {
        const value = isNegative ? -double : double;
        const shown = String(value).replace(/^(-?\d)\.?(\d*)e\+(\d+)$/, (_, first, rest, zeros) => first + rest.padEnd(Number(zeros), "0"));
        expect(parse(`[${shown},${BigInt(value)}]`)).toEqual([value, value]);
        const between = BigInt(shown) + 1n;
        if (BigInt(Number(between)) !== between && String(Number(between)) !== String(between))
          expect(problemOf(String(between)).code).toBe("INVALID_VALUE");
      }),
    );
  });

  test("is looked for without delay", () => {
    const text = JSON.stringify({ a: '\\"'.repeat(100_000), b: Array(10_000).fill(2 ** 60) });
    const before = process.cpuUsage();
    parse(text);
    expect(cpuMsSince(before)).toBeLessThan(1_000);
  });

  test("of a value that another parser made is refused in the range of 64-bit ids", () => {
    const check = (value: unknown) => checkJson({ a: [value] }, { ...limits, isRounded: true });
    for (const value of [2 ** 53, -(2 ** 53), 1234567890123456800, 2 ** 64]) {
      expect(problemFrom(() => check(value))).toMatchObject({ code: "INVALID_VALUE", errors: [{ pointer: "/a/0" }] });
    }
    for (const value of [2 ** 53 - 1, 0.5, 1e20, 1e21, 1e300]) check(value);
  });
});

describe("a fault in JSON", () => {
  test.each([
    ["", "The body is empty; it must be JSON."],
    [" ", "The body is not JSON: it ends too early at line 1, column 2."],
    ['{"a":1', "The body is not JSON: it ends too early at line 1, column 7."],
    ['{\n  "a": 1,\n  b: 2\n}', 'The body is not JSON: unexpected "b" at line 3, column 3.'],
    ["[1,\r\n😀]", 'The body is not JSON: unexpected "😀" at line 2, column 1.'],
    ["\n\n]", 'The body is not JSON: unexpected "]" at line 3, column 1.'],
    ["\uFEFFx", 'The body is not JSON: unexpected "x" at line 1, column 1.'],
  ])("is named with its place: %j", (text, detail) => {
    expect(problemOf(text).message).toBe(detail);
  });

  test("is never told with the text around it", () => {
    const problem = problemOf('{"password":"hunter2",}');
    expect(problem.message + JSON.stringify(problem.errors)).not.toContain("hunter2");
  });
});

describe("depth", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

  test("is taken at the limit and refused one past it", () => {
    expect(parse(nested(64))).toEqual(JSON.parse(nested(64)));
    expect(problemOf(nested(65))).toMatchObject({
      code: "MALFORMED_JSON",
      message: "Arrays and objects are nested deeper than 64 levels. Byte 64 opens one more.",
    });
    expect(problemOf(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`).code).toBe("MALFORMED_JSON");
  });

  test("counts what is open at once, not all there is", () => {
    expect(parse(`[${"[],".repeat(500)}{}]`)).toHaveLength(501);
  });

  test("does not count brackets in text, after escapes neither", () => {
    const text = JSON.stringify([`${"[{".repeat(100)}"\\`, "[".repeat(100), "\\", "[".repeat(100)]);
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  test("of a million is refused at once", () => {
    const body = Buffer.from(nested(1_000_000));
    const before = process.cpuUsage();
    expect(problemFrom(() => parseJson(body, limits)).code).toBe("MALFORMED_JSON");
    expect(cpuMsSince(before)).toBeLessThan(1_000);
  });

  test("of a value that somebody else has parsed is judged without deep recursion, cycles included", () => {
    let deep: unknown = 0;
    for (let level = 0; level < 1_000_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
    const problem = problemFrom(() => checkJson(deep, limits));
    expect(problem).toMatchObject({ code: "MALFORMED_JSON", errors: [{ pointer: "/a/0".repeat(32) }] });

    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(problemFrom(() => checkJson(cyclic, limits)).code).toBe("MALFORMED_JSON");
  });
});

describe("members", () => {
  const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"m${index}":0`).join(",")}}`;

  test("are counted an object, taken at the limit and refused one past it", () => {
    expect(Object.keys(parse(`[${members(1_000)},${members(1_000)}]`) as object)).toHaveLength(2);
    expect(problemOf(`{"a":[${members(1_001)}]}`)).toMatchObject({
      code: "MALFORMED_JSON",
      message: "An object has 1001 members; at most 1000 are allowed.",
      errors: [{ pointer: "/a/0" }],
    });
  });

  test("of the same name count once, and the last one stays", () => {
    expect(parse(`{${'"a":1,'.repeat(2_000)}"a":2}`)).toEqual({ a: 2 });
  });

  test("by the hundred thousand are refused without delay", () => {
    const body = Buffer.from(members(100_000));
    const before = process.cpuUsage();
    expect(problemFrom(() => parseJson(body, limits)).code).toBe("MALFORMED_JSON");
    expect(cpuMsSince(before)).toBeLessThan(1_000);
  });
});

describe("a value", () => {
  test.each([
    ['{"a":{"__proto__":{"isAdmin":true}}}', "MALFORMED_JSON", "/a/__proto__"],
    ['{"\\u005f_proto__":1}', "MALFORMED_JSON", "/__proto__"],
    ['[{"constructor":{"prototype":{}}}]', "MALFORMED_JSON", "/0/constructor"],
    ['{"a":[0,1e400]}', "MALFORMED_JSON", "/a/1"],
    ["-1e999", "MALFORMED_JSON", ""],
    ['{"a/b":"x\\u0000y"}', "VALIDATION_FAILED", "/a~1b"],
    ['{"a":["\\ud800"]}', "VALIDATION_FAILED", "/a/0"],
    ['"\\udc00\\ud800"', "VALIDATION_FAILED", ""],
    ['{"\\u0000":1}', "VALIDATION_FAILED", "/\0"],
    ['{"\\udfff":1}', "VALIDATION_FAILED", "/\udfff"],
  ])("%s is refused with %s at %j", (text, code, pointer) => {
    expect(problemOf(text)).toMatchObject({ code, status: code === "VALIDATION_FAILED" ? 422 : 400, errors: [{ code, pointer }] });
    expect(problemFrom(() => checkJson(JSON.parse(text), limits))).toMatchObject({ code, errors: [{ code, pointer }] });
  });

  test.each([
    '{"constructor":"builder"}',
    '{"constructor":{"name":"x"}}',
    '{"constructor":null}',
    '{"prototype":{"constructor":1}}',
    '{"toString":1,"hasOwnProperty":2}',
    '["\\ud83d\\ude00","\\ufffd","\\u0001"]',
    "[1.7976931348623157e308,5e-324,-0]",
    "1e-400",
  ])("%s is an ordinary one", (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  test("behind an enormous name is pointed at no further than that name", () => {
    const { errors, message } = problemOf(`{"a":{"${"n".repeat(10_000)}":1e400}}`);
    expect(errors[0]?.pointer).toBe("/a");
    expect(message.length).toBeLessThan(200);
  });
});
