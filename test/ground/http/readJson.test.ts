import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../../src/ground/http/json/json.js";
import { readJson } from "../../../src/ground/http/json/readJson.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { jsonCases } from "./jsonCases.js";

const limits = { depth: 16, members: 12, values: 200 };

async function outcomeOf(parse: () => unknown): Promise<unknown> {
  try {
    return { value: await parse() };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { code: error.code, detail: error.message, errors: error.errors };
  }
}

/** What slices of different sizes make of a text, beside what it is in one piece. */
async function expectAlike(body: string | Uint8Array, isSame: (sliced: unknown, whole: unknown) => void): Promise<void> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const whole = await outcomeOf(() => parseJson(bytes, limits));
  for (const sliceBytes of [1, 2, 5, 16]) isSame(await outcomeOf(() => readJson(bytes, limits, { sliceBytes })), whole);
}

const isEqual = (sliced: unknown, whole: unknown) => expect(sliced).toEqual(whole);
/** Both refuse; a text with several faults is refused for whichever is met first. */
const isRefused = (sliced: unknown, whole: unknown) => {
  expect(Object.hasOwn(sliced as object, "value"), JSON.stringify(sliced)).toBe(Object.hasOwn(whole as object, "value"));
  if (Object.hasOwn(whole as object, "value")) expect(sliced).toEqual(whole);
};

describe("JSON that is parsed in slices", () => {
  test.each([...jsonCases.valid, ...jsonCases.undefinedBySpecification])("%s is what it is in one piece", (_, text) => expectAlike(text, isEqual));
  test.each(jsonCases.invalid)("%s is refused", (_, body) => expectAlike(body, isRefused));

  test.each([
    ['[1,2,{"a":[1,2,3,],"b":1}]'],
    ['{"a":{"b":1,"c":2} "d":{"e":1,"f":2}}'],
    ['{"a":{"b":1,"c":2},}'],
    ["[[1,2],[3,4] [5,6]]"],
    ["[[1,2],x[5,6,7]]"],
    ['{"a":1,"b":-{"c":1,"d":2}}'],
    ['{"a":1,"b" {"c":1,"d":2}}'],
    ['{"a":1,"b":2\n,"c":[1,\n2,,3]}'],
    ["[1,2,[3,4}"],
    ["[1,2,3]]"],
    ["[1,2,3"],
    ['["a,b","c\\",[d",{"e":"]"'],
    ['\uFEFF[1,2,"é",x]'],
    ["[,1,2]"],
    ["[1,,2]"],
  ])("a fault in %s is found at the same place", (text) => expectAlike(text, isEqual));

  test.each([
    [`[${"[".repeat(16)}1,2${"]".repeat(16)}]`],
    [JSON.stringify(Array(201).fill(1))],
    [`{"a":{${Array.from({ length: 13 }, (_, index) => `"m${index}":[1,2,3]`).join(",")}}}`],
    ['{"a":1,"__proto__":{"b":1,"c":2}}'],
    ['{"a":1,"constructor":{"b":1,"prototype":2}}'],
    ['{"a":1,"constructor":{"b":{"c":1,"d":2},"prototype":{"e":1,"f":2}}}'],
    ['{"a":1,"b":["x","\\u0000"]}'],
    ['{"a":1,"\\ud800":[1,2,3]}'],
  ])("%s is refused, as a limit or a rule wants it", (text) => expectAlike(text, isRefused));

  test("of two members of one name the last counts, at the place of the first", () =>
    expectAlike('{"a":[1,2],"b":{"c":1,"d":2},"a":{"e":[1,2]},"b":3}', isEqual));

  test("any value comes out as it went in", async () => {
    const values = fc.jsonValue({ maxDepth: 6 });
    const spaced = fc.constantFrom(undefined, 1, "\t");
    await fc.assert(fc.asyncProperty(values, spaced, (value, space) => expectAlike(JSON.stringify(value, undefined, space), isRefused)));
  });

  test("a damaged text is taken if and only if it is in one piece", async () => {
    const tokens = fc.array(fc.constantFrom("{", "}", "[", "]", ",", ":", '"', '"a"', '"a":', "\\", "0", "-", " ", "1,", "[1,2]", '{"b":1}'), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(tokens, (parts) => expectAlike(`[${parts.join("")}]`, isRefused)),
      { numRuns: propertyRuns(2_000) },
    );
    await fc.assert(
      fc.asyncProperty(tokens, (parts) => expectAlike(`{"x":[1,2],${parts.join("")}}`, isRefused)),
      { numRuns: propertyRuns(2_000) },
    );
  });
});
