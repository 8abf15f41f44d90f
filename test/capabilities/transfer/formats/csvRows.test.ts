// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CsvRowOptions, csvRows } from "../../../../src/capabilities/transfer/formats/csvRows.js";
import { beginning } from "../../../../src/capabilities/transfer/rows.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { csvFiles } from "./csvFiles.js";
import { Endless, inParts, readAll, repeat } from "./files.js";

const limits = { rowBytes: 1_000_000, columns: 1_000 };
const options = { delimiter: ",", limits, from: beginning };
const read = (file: string | Uint8Array, size?: number, more: Partial<CsvRowOptions> = {}) =>
  readAll(csvRows(inParts(file, size), { ...options, ...more }));
const cellsOf = async (file: string, more: Partial<CsvRowOptions> = {}) => (await read(file, 1, more)).rows.map(({ cells }) => cells);

describe("the rows of CSV", () => {
  test.each<[string, string, readonly (readonly string[])[]]>([
    [
      "cells and rows",
      "a,b,c\r\n1,2,3\r\n",
      [
        ["a", "b", "c"],
        ["1", "2", "3"],
      ],
    ],
    ["no line end at the end", "a\n1", [["a"], ["1"]]],
    ["a delimiter in quotes", 'John,"120 any st.","Anytown, WW",08123\n', [["John", "120 any st.", "Anytown, WW", "08123"]]],
    [
      "empty cells",
      '1,"",\n,,\n',
      [
        ["1", "", ""],
        ["", "", ""],
      ],
    ],
    [
      "quotes in quotes",
      '1,"ha ""ha"" ha"\n3,""""\n',
      [
        ["1", 'ha "ha" ha'],
        ["3", '"'],
      ],
    ],
    ["JSON", '1,"{""type"": ""Point"", ""at"": [102.0, 0.5]}"\n', [["1", '{"type": "Point", "at": [102.0, 0.5]}']]],
    [
      "line ends in quotes",
      '1,"Once upon\na time"\r\n2,"in\r\nx"\r3,"\r"',
      [
        ["1", "Once upon\na time"],
        ["2", "in\r\nx"],
        ["3", "\r"],
      ],
    ],
    [
      "line ends of all kinds",
      "a,b\n1,2\r\n3,4\r5,6\n\r7,8",
      [
        ["a", "b"],
        ["1", "2"],
        ["3", "4"],
        ["5", "6"],
        ["7", "8"],
      ],
    ],
    ["blank lines", "\r\n\n\ra\n\n\r\r\n1\n\n", [["a"], ["1"]]],
    ["a line of white space", "a\n \n", [["a"], [" "]]],
    [
      "white space around cells",
      ' a ,\tb\n" c ",d \n',
      [
        [" a ", "\tb"],
        [" c ", "d "],
      ],
    ],
    ["characters of all sizes", "é,語,😀\n", [["é", "語", "😀"]]],
    ["rows of any width", "a,b\n1\n1,2,3\n", [["a", "b"], ["1"], ["1", "2", "3"]]],
    ["leading zeros, signs and NUL", "007,+1,-0,\0\n", [["007", "+1", "-0", "\0"]]],
    ["apostrophes and backslashes", "'=1,\\,a\n", [["'=1", "\\", "a"]]],
    [
      "names that objects have already",
      "__proto__,constructor\n1,2",
      [
        ["__proto__", "constructor"],
        ["1", "2"],
      ],
    ],
    ["nothing", "", []],
    ["nothing but blank lines", "\r\n\r\n", []],
  ])("are read from %s", async (_name, file, rows) => {
    expect(await cellsOf(file)).toEqual(rows);
  });

  test.each([";", "\t", "|"])("may have cells with %j between them", async (delimiter) => {
    expect(await cellsOf(`a,b${delimiter}"c${delimiter}"\n`, { delimiter })).toEqual([["a,b", `c${delimiter}`]]);
  });

  test("know which of their empty cells stood in quotes", async () => {
    const { rows } = await read('a,,""\n"","x""",""\n,\n1,2\n');
    expect(rows.map(({ quotedEmpty }) => quotedEmpty && [...quotedEmpty])).toEqual([[2], [0, 2], undefined, undefined]);
  });

  test("know the line that they begin in", async () => {
    const { rows } = await read('\n\na,"\r\n\n\r"\r\n\r\nb\r\rc\n');
    expect(rows.map(({ row, line }) => [row, line])).toEqual([
      [1, 3],
      [2, 8],
      [3, 10],
    ]);
  });

  test("are those that were written, however the file is cut", async () => {
    await fc.assert(
      fc.asyncProperty(csvFiles, fc.integer({ min: 1, max: 12 }), async (file, size) => {
        expect(await read(file.text, size)).toMatchObject({ rows: file.rows, problem: undefined });
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  test("go on behind any chunk as if nothing had been read before", async () => {
    await fc.assert(
      fc.asyncProperty(csvFiles, fc.integer({ min: 1, max: 3 }), async ({ text, rows }, chunkRows) => {
        const bytes = Buffer.from(text);
        const { chunks } = await read(bytes, 5, { chunkRows });
        for (const { next } of chunks) {
          const rest = await read(bytes.subarray(next.byte), 3, { from: next, chunkRows });
          expect(rest.rows).toEqual(rows.slice(next.row));
        }
      }),
    );
  });

  test("come in the same chunks however the file is cut, and end where asked for", async () => {
    const file = Array.from({ length: 250 }, (_, row) => `${row},"a ""row"""\r\n`).join("");
    const { chunks } = await read(file, 65_536, { chunkRows: 100, chunkBytes: 1_000 });
    for (const size of [1, 7, 1_000]) expect((await read(file, size, { chunkRows: 100, chunkBytes: 1_000 })).chunks).toEqual(chunks);
    expect(chunks.map(({ rows }) => rows.length)).toEqual([64, 61, 59, 59, 7]);
    expect((await read(file, 65_536, { chunkRows: 100 })).chunks.map(({ rows }) => rows.length)).toEqual([100, 100, 50]);
  });
});

describe("CSV that cannot be read on", () => {
  test.each([
    ["a quote that nothing closes", 'a,b\n1,"2\n3,4\n', "QUOTE_NOT_CLOSED", { row: 2, line: 2, column: 2 }],
    ["a file that is cut in quotes", 'a\n\n1\n"x\r\n","y', "QUOTE_NOT_CLOSED", { row: 3, line: 5, column: 2 }],
    ["a quote behind the quotes of a cell", 'a\n"b"c\n', "BAD_QUOTE", { row: 2, line: 2, column: 1 }],
    ["white space behind the quotes of a cell", 'a\n1,"b" \n', "BAD_QUOTE", { row: 2, line: 2, column: 2 }],
    ["a quote after more cells than allowed", `a\n${",".repeat(5_000)}x"`, "BAD_QUOTE", { row: 2, line: 2, column: 5_001 }],
    ["a quote in a cell without quotes", 'a\r\n\r\n"\n",5" pipe,x\n', "BAD_QUOTE", { row: 2, line: 4, column: 2 }],
    ["white space before the quotes of a cell", 'a, "b"\n', "BAD_QUOTE", { row: 1, line: 1, column: 2 }],
  ])("has %s; the rows before are given all the same", async (_name, file, code, place) => {
    for (const size of [1, 3, 65_536]) {
      const { rows, problem } = await read(file, size);
      expect(problem).toMatchObject({ code, status: 422, extensions: place });
      expect(problem?.message).toContain(`Row ${place.row}, line ${place.line}: column ${place.column}`);
      expect(rows).toHaveLength(place.row - 1);
    }
  });

  test.each([
    ["cells", `${"é".repeat(5)},x\n`],
    ["delimiters", ",,,,,,,,,,,,\n"],
    ["quotes", '"""""","",""\n'],
  ])("has a row that is longer than allowed for its %s", async (_name, row) => {
    const rowBytes = Buffer.byteLength(row) - 1;
    const file = `a\n\n${row}\r\nb\n`;
    for (const size of [1, 5, 65_536]) {
      expect(await read(file, size, { limits: { ...limits, rowBytes } })).toMatchObject({ problem: undefined });
      const { rows, problem } = await read(file, size, { limits: { ...limits, rowBytes: rowBytes - 1 } });
      expect(problem).toMatchObject({ code: "ROW_TOO_LARGE", extensions: { row: 2, line: 3 } });
      expect(rows).toHaveLength(1);
    }
  });

  test.each([
    ["one cell of 100 MB", "a\n1,", "x".repeat(50_000), "Row 2, line 2: the row is longer than 1000000 bytes."],
    [
      "a quote that nothing closes",
      'a\n1,"\n","',
      "x,y\n".repeat(10_000),
      "Row 2, line 2: the row is longer than 1000000 bytes. A quote in line 3 is not closed.",
    ],
    [
      "a quote that nothing closes in the first column",
      'a\n"',
      "x\n".repeat(25_000),
      "Row 2, line 2: the row is longer than 1000000 bytes. A quote in line 2 is not closed.",
    ],
    [
      "a quote that nothing closes behind an empty cell",
      'a\n\n,"',
      "x\n".repeat(25_000),
      "Row 2, line 3: the row is longer than 1000000 bytes. A quote in line 3 is not closed.",
    ],
    ["nothing but delimiters", "a\n", ",".repeat(50_000), "Row 2, line 2: the row is longer than 1000000 bytes."],
  ])("is given up after a megabyte of %s, of which little is held", async (_name, first, rest, message) => {
    const source = new Endless(repeat(first, rest));
    const { rows, problem } = await readAll(csvRows(source, options));
    expect(problem).toMatchObject({ code: "ROW_TOO_LARGE", message });
    expect(rows).toHaveLength(1);
    expect(source.bytes).toBeLessThan(1_200_000);
    expect(source.isClosed).toBe(true);
  });

  test("is not what has blank lines without end: they are not held", async () => {
    const blank = Buffer.from("\r\n".repeat(500_000));
    const { rows } = await readAll(
      csvRows(new Endless([blank, Buffer.from("a"), blank, Buffer.from('"b"')]), { ...options, limits: { ...limits, rowBytes: 10 } }),
    );
    expect(rows).toMatchObject([
      { row: 1, line: 500_001, cells: ["a"] },
      { row: 2, line: 1_000_001, cells: ["b"] },
    ]);
  });
});

describe("a reader of CSV", () => {
  test("releases its source when nobody reads on", async () => {
    const source = new Endless(repeat("", "a,b\n".repeat(5_000)));
    for await (const { rows } of csvRows(source, options)) {
      expect(rows).toHaveLength(1_000);
      break;
    }
    expect(source).toMatchObject({ isClosed: true, bytes: 20_000 });
  });

  test("ends with what its source throws", async () => {
    const fault = new Error("The store is gone.");
    const source = new Endless(
      (function* () {
        yield Buffer.from("a\nb");
        throw fault;
      })(),
    );
    await expect(readAll(csvRows(source, options))).rejects.toBe(fault);
  });
});
