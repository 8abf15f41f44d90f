import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonArrayRows } from "../../../../src/capabilities/transfer/formats/jsonArrayRows.js";
import type { JsonRowOptions } from "../../../../src/capabilities/transfer/formats/ndjsonRows.js";
import { beginning } from "../../../../src/capabilities/transfer/rows.js";
import { jsonCases } from "../../../ground/http/jsonCases.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { readAll } from "./files.js";

const limits = { rowBytes: 1_000, depth: 4, members: 1_000, values: 1_000 };
const read = (file: string | Uint8Array, more: Partial<JsonRowOptions> = {}) =>
  readAll(jsonArrayRows(Buffer.from(file), { limits, from: beginning, ...more }));

describe("the rows of a JSON array", () => {
  test.each<[string, string, readonly [number, unknown][]]>([
    [
      "one line",
      '[{"a":1},{"a":2}]',
      [
        [1, { a: 1 }],
        [1, { a: 2 }],
      ],
    ],
    [
      "many lines",
      ' [\n  {"a":[\n1]},\r\n\n  {\n"a":2}\n,{"a":"]\\"}"}]\n',
      [
        [2, { a: [1] }],
        [5, { a: 2 }],
        [7, { a: ']"}' }],
      ],
    ],
    ["an array of nothing", "[\n]\r\n", []],
    [
      "characters of all sizes",
      '[{"é":"語"},\n{"😀":1}]',
      [
        [1, { é: "語" }],
        [2, { "😀": 1 }],
      ],
    ],
  ])("are read from %s", async (_name, file, rows) => {
    expect(await read(file)).toMatchObject({ rows: rows.map(([line, value], index) => ({ row: index + 1, line, value })), problem: undefined });
  });

  test("are those that were written", async () => {
    const items = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })));
    await fc.assert(
      fc.asyncProperty(items, fc.constantFrom(undefined, 1, "\t"), async (written, indent) => {
        const text = JSON.stringify(written, undefined, indent);
        fc.pre(!text.includes("__proto__"));
        const { rows } = await read(text, { limits: { ...limits, rowBytes: 1_000_000 } });
        expect(rows.map(({ value }) => value)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("have faults of their own", async () => {
    const file = `[{"a":1},\n[1], "x" ,\n{"__proto__":1},{"a":"${"x".repeat(1_000)}"},\nnull,{"a":2}]`;
    expect((await read(file)).rows).toMatchObject([
      { value: { a: 1 } },
      { row: 2, line: 2, text: "[1]", fault: { code: "ROW_NOT_OBJECT" } },
      { row: 3, line: 2, text: '"x"', fault: { code: "ROW_NOT_OBJECT" } },
      { row: 4, line: 3, text: '{"__proto__":1}', fault: { code: "MALFORMED_JSON", field: "__proto__" } },
      { row: 5, line: 3, fault: { code: "ROW_TOO_LARGE" } },
      { row: 6, line: 4, text: "null", fault: { code: "ROW_NOT_OBJECT" } },
      { row: 7, line: 4, value: { a: 2 } },
    ]);
  });

  test.each([
    ["deep", `{"a":${"[".repeat(4)}${"]".repeat(4)}}`, "MALFORMED_JSON", "Arrays and objects are nested deeper than 4 levels."],
    ["deep by a hundred thousand levels", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "ROW_TOO_LARGE", "The row is longer than 1000 bytes."],
    ["rich in values", `{"a":[${Array(400).fill("1").join(",")}],"b":[${"[],".repeat(20)}[]]}`, "MALFORMED_JSON", "There are more than 400 values."],
    ["long", `{"a":[${Array(100_000).fill("1").join(",")}]}`, "ROW_TOO_LARGE", "The row is longer than 1000 bytes."],
  ])("have a fault of their own where they are too %s, and the others go on", async (_name, item, code, detail) => {
    const { rows, problem } = await read(`[{"a":1},\n${item},{"a":2}]`, { limits: { ...limits, values: 400 } });
    expect(problem).toBeUndefined();
    expect(rows).toMatchObject([
      { value: { a: 1 } },
      { row: 2, line: 2, text: item.slice(0, 1_000), fault: { code, detail } },
      { row: 3, value: { a: 2 } },
    ]);
  });

  test("may have exactly as many values as allowed", async () => {
    const item = `{"a":[${Array(398).fill("1").join(",")}]}`;
    const { rows } = await read(`[${item},${item}]`, { limits: { ...limits, values: 400 } });
    expect(rows.map(({ fault }) => fault)).toEqual([undefined, undefined]);
  });

  test("go on behind any chunk, given the whole file again", async () => {
    const file = '[{"a":1},\n{"a":2},{"a":3}\n]';
    const { rows, chunks } = await read(file, { chunkRows: 1 });
    expect(chunks.map(({ next }) => next)).toEqual([
      { row: 1, line: 1, byte: 8 },
      { row: 2, line: 2, byte: 17 },
      { row: 3, line: 2, byte: 25 },
    ]);
    for (const { next } of chunks) expect((await read(file, { from: next })).rows).toEqual(rows.slice(next.row));
  });
});

describe("a file that is no JSON array", () => {
  test.each([
    ["nothing", "", "EMPTY_FILE", "The file is empty"],
    ["white space", " \n\t\r\n", "EMPTY_FILE", "The file is empty"],
    [
      "an object",
      '{"a":1}',
      "MALFORMED_JSON",
      "The file is not a JSON array. Send an array of objects, or one object per line as application/x-ndjson.",
    ],
    ["NDJSON", '{"a":1}\n{"a":2}\n', "MALFORMED_JSON", "The file is not a JSON array."],
    ["half an array", '[{"a":1},\n{"a":', "MALFORMED_JSON", "it ends too early at line 2, column 6."],
    ["an array without an end", '[{"a":1}', "MALFORMED_JSON", "it ends too early at line 1, column 9."],
    ["a comma too many", '[{"a":1},\n]', "MALFORMED_JSON", 'unexpected "]" at line 2, column 1.'],
    ["nothing but a comma", "[,]", "MALFORMED_JSON", 'unexpected "," at line 1, column 2.'],
    ["a comma too few", '[{"a":1}\n{"a":2}]', "MALFORMED_JSON", 'unexpected "{" at line 2, column 1.'],
    ["brackets that do not match", '[{"a":1]}', "MALFORMED_JSON", 'unexpected "]" at line 1, column 8.'],
    ["another end", '[{"a":1}}', "MALFORMED_JSON", 'unexpected "}" at line 1, column 9.'],
    ["more than an array", "[{}]\n[]", "MALFORMED_JSON", 'unexpected "[" at line 2, column 1.'],
    ["what JSON takes for no white space", "[{},\u00A0{}]", "MALFORMED_JSON", 'unexpected "\u00A0" at line 1, column 5.'],
    ["NUL between items", "[{},\0{}]", "MALFORMED_JSON", 'unexpected "\\u0000" at line 1, column 5.'],
    ["a fault far behind", '[{"a":1},{"a":2},\n\n{"a":NaN}]', "MALFORMED_JSON", 'unexpected "N" at line 3, column 6.'],
    ["brackets without end", "[".repeat(1_000_000), "MALFORMED_JSON", "it ends too early at line 1, column 1000001."],
    ["a fault in an item that is too long", `[{"a":"${"x".repeat(200_000)}"},{"b":["${"x".repeat(200_000)}",]}]`, "MALFORMED_JSON", 'unexpected "]"'],
    ["white space behind its early end", '[{"a":1}\n \n', "MALFORMED_JSON", "it ends too early at line 1, column 9."],
  ])("but %s is refused before its first row", async (_name, file, code, detail) => {
    const { rows, problem } = await read(file);
    expect(rows).toEqual([]);
    expect(problem).toMatchObject({ code, status: 400, message: expect.stringContaining(detail) });
  });

  test("is what JSON.parse takes for none, and nothing else", async () => {
    const token = fc.constantFrom("[", "]", "{", "}", ",", ":", '"', "\\", "1", "null", '{"a":1}', '"a"', " ", "\n", "\0");
    const isArray = (text: string) => {
      try {
        return Array.isArray(JSON.parse(text));
      } catch {
        return false;
      }
    };
    const texts = fc.array(token, { maxLength: 8 }).map((tokens) => `[${tokens.join("")}`);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          texts,
          texts.map((text) => `${text}]`),
        ),
        async (text) => {
          expect((await read(text)).problem === undefined).toBe(isArray(text));
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test.each(jsonCases.invalid.filter(([, text]) => typeof text === "string" && text.trim() !== ""))(
    "is one around what no body of a request may be: %s",
    async (_name, text) => {
      const { rows, problem } = await read(`[{},${text}]`);
      expect(problem?.code ?? rows[1]?.fault?.code).toMatch(/^(?:MALFORMED_JSON|ROW_NOT_OBJECT)$/);
    },
  );
});
