import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonRowOptions, ndjsonRows } from "../../../../src/capabilities/transfer/formats/ndjsonRows.js";
import { beginning } from "../../../../src/capabilities/transfer/rows.js";
import { jsonCases } from "../../../ground/http/jsonCases.js";
import { Endless, inParts, readAll, repeat } from "./files.js";

const limits = { rowBytes: 1_000_000, depth: 4, members: 10, values: 20 };
const options = { limits, from: beginning };
const read = (file: string | Uint8Array, size?: number, more: Partial<JsonRowOptions> = {}) =>
  readAll(ndjsonRows(inParts(file, size), { ...options, ...more }));
const only = async (line: string) => (await read(line)).rows[0];

describe("the rows of NDJSON", () => {
  test.each<[string, string, readonly [number, unknown][]]>([
    [
      "lines",
      '{"a":1}\n{"a":2}\n',
      [
        [1, { a: 1 }],
        [2, { a: 2 }],
      ],
    ],
    [
      "lines that end in CRLF",
      '{"a":1}\r\n{"a":2}\r\n',
      [
        [1, { a: 1 }],
        [2, { a: 2 }],
      ],
    ],
    [
      "a last line without an end",
      '{"a":1}\n{"a":2}',
      [
        [1, { a: 1 }],
        [2, { a: 2 }],
      ],
    ],
    ["a last line that ends in CR", '{"a":1}\r', [[1, { a: 1 }]]],
    [
      "blank lines",
      '\n\r\n \t\n{"a":1}\n\n\r\n{"a":2}\n \n',
      [
        [4, { a: 1 }],
        [7, { a: 2 }],
      ],
    ],
    ["white space around values", ' \t{ "a" : [ 1 ] } \t\r\n', [[1, { a: [1] }]]],
    [
      "line ends that are escaped",
      '{"a":"\\r\\n"}\n{}\n',
      [
        [1, { a: "\r\n" }],
        [2, {}],
      ],
    ],
    ["what other languages take for line ends", '{"a":"\u2028\u0085"}\n', [[1, { a: "\u2028\u0085" }]]],
    [
      "characters of all sizes",
      '{"é":"語"}\n{"😀":"é"}\n',
      [
        [1, { é: "語" }],
        [2, { "😀": "é" }],
      ],
    ],
    ["a member that is there twice: the last one wins", '{"a":1,"a":2}', [[1, { a: 2 }]]],
    ["NUL and half a pair: they are judged later", '{"a":"\\u0000\\ud800","b":[{"c":"\\u0000"}]}', [[1, { a: "\0\uD800", b: [{ c: "\0" }] }]]],
    ["a member constructor that is no more than that", '{"constructor":"Renault","prototype":1}', [[1, { constructor: "Renault", prototype: 1 }]]],
    ["nothing", "", []],
    ["nothing but blank lines", "\n\r\n", []],
  ])("are read from %s", async (_name, file, rows) => {
    for (const size of [1, 3, 65_536]) {
      expect((await read(file, size)).rows).toEqual(rows.map(([line, value], index) => ({ row: index + 1, line, value })));
    }
  });

  test("are those that were written, however the file is cut", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", "語", "😀", "\n", "\r", '"', "\\", "\0", "\u2028"), maxLength: 5 });
    const row = fc.dictionary(text, fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.array(text, { maxLength: 3 })), {
      maxKeys: 4,
    });
    const rows = fc.array(fc.tuple(row, fc.constantFrom("\n", "\r\n", "\n\n")), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 12 }), async (written, size) => {
        const file = written.map(([value, end]) => JSON.stringify(value) + end).join("");
        const { rows: found } = await read(file, size);
        expect(found.map(({ value }) => value)).toEqual(written.map(([value]) => JSON.parse(JSON.stringify(value))));
        const lines = file.split("\n");
        for (const { line, value } of found) expect(JSON.parse(lines[line - 1] ?? "")).toEqual(value);
      }),
    );
  });

  test("go on behind any chunk as if nothing had been read before", async () => {
    const file = Buffer.from('{"a":"é"}\n\r\n{"a":"語"}\r\n[]\n{"a":3}\n{"a":\n\n{"a":"😀"}');
    const { rows, chunks } = await read(file, 5, { chunkRows: 1 });
    expect(rows.map(({ line }) => line)).toEqual([1, 3, 4, 5, 6, 8]);
    for (const { next } of chunks) {
      expect((await read(file.subarray(next.byte), 3, { from: next })).rows).toEqual(rows.slice(next.row));
    }
  });

  test("come in the same chunks however the file is cut", async () => {
    const file = Array.from({ length: 250 }, (_, row) => `{"row":"é${row}"}\n`).join("");
    const { chunks } = await read(file, 65_536, { chunkRows: 60, chunkBytes: 900 });
    expect(chunks.map(({ rows }) => rows.length)).toEqual([60, 59, 57, 57, 17]);
    for (const size of [1, 7, 1_000]) expect((await read(file, size, { chunkRows: 60, chunkBytes: 900 })).chunks).toEqual(chunks);
  });
});

describe("a line of NDJSON that is no row", () => {
  test.each([
    ["half a line", '{"a":1', "MALFORMED_JSON", "The row is not JSON: it ends too early at column 7."],
    ["CSV", "a,b", "MALFORMED_JSON", 'The row is not JSON: unexpected "a" at column 1.'],
    ["NaN", '{"a":NaN}', "MALFORMED_JSON", 'The row is not JSON: unexpected "N" at column 6.'],
    ["Infinity", '{"a":-Infinity}', "MALFORMED_JSON", 'The row is not JSON: unexpected "I" at column 7.'],
    ["two values", "{}{}", "MALFORMED_JSON", 'The row is not JSON: unexpected "{" at column 3.'],
    ["a number that is too large", '{"a":1e999}', "MALFORMED_JSON", "A number is outside the range of binary64."],
    [
      "a prototype",
      '{"__proto__":{"isAdmin":true}}',
      "MALFORMED_JSON",
      'The member "__proto__" could change the prototype of an object and is not allowed.',
    ],
    ["a prototype in disguise", '{"a":{"\\u005f_proto__":1}}', "MALFORMED_JSON", 'The member "__proto__" could change'],
    ["the prototype of a constructor", '{"constructor":{"prototype":{}}}', "MALFORMED_JSON", 'The member "constructor" could change'],
    ["too deep", '{"a":[[[[]]]]}', "MALFORMED_JSON", "Arrays and objects are nested deeper than 4 levels."],
    [
      "too many members",
      JSON.stringify(Object.fromEntries(Array.from({ length: 11 }, (_, index) => [index, 1]))),
      "MALFORMED_JSON",
      "An object has 11 members; at most 10 are allowed.",
    ],
    ["too many values", JSON.stringify({ a: Array.from({ length: 20 }, () => 1) }), "MALFORMED_JSON", "There are more than 20 values."],
    ["too many empty arrays", `{"a":[${"[],".repeat(30)}[]]}`, "MALFORMED_JSON", "There are more than 20 values."],
    ["too many values, and too deep", `{"a":[[[[${"1,".repeat(30)}1]]]]}`, "MALFORMED_JSON", "Arrays and objects are nested deeper than 4 levels."],
    ["too many values, and broken behind them", `{"a":[${"1,".repeat(30)}]}`, "MALFORMED_JSON", "There are more than 20 values."],
    ["long, and broken", `{"a":"${"x".repeat(60)}",}`, "MALFORMED_JSON", 'The row is not JSON: unexpected "}" at column 69.'],
    ["an array", '[{"a":1}]', "ROW_NOT_OBJECT", "The row is an array; it must be an object."],
    ["null", "null", "ROW_NOT_OBJECT", "The row is null; it must be an object."],
    ["a string", '"a"', "ROW_NOT_OBJECT", "The row is a string; it must be an object."],
    ["a number", "1", "ROW_NOT_OBJECT", "The row is a number; it must be an object."],
  ])("but %s has a fault, and the next one goes on", async (_name, line, code, detail) => {
    for (const size of [1, 65_536]) {
      const { rows, problem } = await read(`{"a":1}\r\n${line}\r\n{"a":2}`, size);
      expect(problem).toBeUndefined();
      expect(rows).toMatchObject([
        { value: { a: 1 } },
        { row: 2, line: 2, text: line, fault: { code, detail: expect.stringContaining(detail) } },
        { row: 3, line: 3, value: { a: 2 } },
      ]);
      expect(rows[1]).not.toHaveProperty("value");
    }
  });

  const invalid = jsonCases.invalid.filter(
    (entry): entry is typeof entry & [string, string] => typeof entry[1] === "string" && /^[^\n]*\S[^\n]*$/.test(entry[1]),
  );

  test.each(invalid)("is what no body of a request may be either: %s", async (_name, text) => {
    expect(await only(text)).toMatchObject({ fault: { code: expect.stringMatching(/^(?:MALFORMED_JSON|ROW_NOT_OBJECT)$/) } });
  });

  test("names the member of its fault, with dots where it is nested", async () => {
    expect(await only('{"a":1e999}')).toMatchObject({ fault: { field: "a" } });
    expect(await only('{"a/b":[{"c~":1e999}]}')).toMatchObject({ fault: { field: "a/b.0.c~" } });
    expect((await only("{"))?.fault).not.toHaveProperty("field");
  });

  test("keeps the first 1,000 characters of its text, and no half of one", async () => {
    expect((await only(`"${"x".repeat(2_000)}"`))?.text).toBe(`"${"x".repeat(999)}`);
    expect((await only(`"${"x".repeat(998)}😀"`))?.text).toBe(`"${"x".repeat(998)}`);
  });
});

describe("a line of NDJSON that is too long", () => {
  const row = '{"a":"éé"}';
  const rowBytes = Buffer.byteLength(row);

  test("is one with more bytes than allowed, white space around it aside", async () => {
    for (const size of [1, 5, 65_536]) {
      for (const line of [row, `${row}\r`, ` \t${" ".repeat(100)}${row}`]) {
        const file = `${line}\n{}\n`;
        expect((await read(file, size, { limits: { ...limits, rowBytes } })).rows).toMatchObject([{ value: { a: "éé" } }, { line: 2, value: {} }]);
        const { rows, problem } = await read(file, size, { limits: { ...limits, rowBytes: rowBytes - 1 } });
        expect(problem).toBeUndefined();
        const fault = { code: "ROW_TOO_LARGE", detail: `The row is longer than ${rowBytes - 1} bytes.` };
        expect(rows).toMatchObject([
          { row: 1, line: 1, fault },
          { row: 2, line: 2, value: {} },
        ]);
      }
    }
  });

  test("is passed without being held, and the next one goes on", async () => {
    function* file() {
      yield Buffer.from(' \n {"a":"');
      const part = Buffer.alloc(1_000_000, "x");
      for (let megabyte = 0; megabyte < 100; megabyte++) yield part;
      yield Buffer.from('"}\n{"a":1}\n');
    }
    const before = process.memoryUsage().arrayBuffers;
    const { rows, chunks } = await readAll(ndjsonRows(new Endless(file()), options));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
    expect(rows).toMatchObject([
      { row: 1, line: 2, text: `{"a":"${"x".repeat(994)}`, fault: { code: "ROW_TOO_LARGE" } },
      { row: 2, line: 3, value: { a: 1 } },
    ]);
    expect(chunks.at(-1)?.next).toEqual({ row: 2, line: 4, byte: 100_000_020 });
  });

  test("may be the last one", async () => {
    const { rows } = await read(`{"a":"${"x".repeat(100)}`, 7, { limits: { ...limits, rowBytes: 20 } });
    expect(rows).toMatchObject([{ row: 1, fault: { code: "ROW_TOO_LARGE" } }]);
  });

  test("is none where it is blank, however long", async () => {
    const { rows } = await read(`${" ".repeat(300)}\n{}\n${" ".repeat(300)}`, 7, { limits: { ...limits, rowBytes: 20 } });
    expect(rows).toMatchObject([{ row: 1, line: 2, value: {} }]);
  });
});

test("a reader of NDJSON releases its source when nobody reads on", async () => {
  const source = new Endless(repeat("", '{"a":1}\n'.repeat(2_000)));
  for await (const { rows } of ndjsonRows(source, options)) {
    expect(rows).toHaveLength(1_000);
    break;
  }
  expect(source).toMatchObject({ isClosed: true, bytes: 16_000 });
});
