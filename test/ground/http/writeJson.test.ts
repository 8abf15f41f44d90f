import { describe, expect, test } from "vitest";
import { writeJson } from "../../../src/ground/http/json/writeJson.js";
import { weakTag, weakTagOfBytes } from "../../../src/language/conditional/etag.js";

const text = 'é😀\u2028"\\\n'.repeat(20_000);

describe("the JSON of an answer", () => {
  test("of a small one is made at once", () => {
    expect(writeJson({ data: [{ id: 1, gone: undefined }] })).toBe('{"data":[{"id":1}]}');
  });

  test.each<[string, object]>([
    ["long texts", { data: [{ text }, { text, gone: undefined }], meta: null }],
    ["many values", { data: Array(100_000).fill(1.5), rest: [undefined, null, true, { a: undefined }] }],
    ["many members", { data: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`"m${index}`, { index }])) }],
    ["large values within others", [[[{ one: [text] }], text], { ["\u0000"]: [[], {}, text] }]],
    ["values that write themselves", [text, new Date(0), { large: { toJSON: () => [text] } }]],
    ["halves of surrogate pairs", [`${"x".repeat(65_534)}\ud83d`, `\ude00${text}`]],
  ])("%s are written as JSON.stringify does, with the tag of that", async (_, value) => {
    const written = await writeJson(value);
    const expected = JSON.stringify(value);
    expect(written).toBeInstanceOf(Uint8Array);
    expect(Buffer.from(written).toString() === expected).toBe(true);
    expect(await weakTagOfBytes(written as Uint8Array)).toBe(weakTag(expected));
  });
});
