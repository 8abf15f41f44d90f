import { describe, expect, test } from "vitest";
import { csvRows } from "../../../../src/capabilities/transfer/formats/csvRows.js";
import { readHeader } from "../../../../src/capabilities/transfer/formats/readHeader.js";
import { Endless, inParts, problemIn, readAll, repeat } from "./files.js";

const options = { delimiter: ",", limits: { rowBytes: 1_000, columns: 3 } };
const header = (file: string, size = 1) => readHeader(inParts(file, size), options);

describe("the header of CSV", () => {
  test.each<[string, string, readonly string[], number, number]>([
    ["trimmed", " id ,\tname\u00A0\r\n1,2", ["id", "name"], 2, 14],
    ["as often as they stand there", "a,a,\n", ["a", "a", ""], 2, 5],
    ["in quotes", '"a,b","c\n"\n1', ["a,b", "c"], 3, 11],
    ["whatever they are", "__proto__,=1+1,'x\n", ["__proto__", "=1+1", "'x"], 2, 18],
    ["alone", "id", ["id"], 2, 2],
    ["behind blank lines", "\r\n\nid\r\n\r\n1", ["id"], 4, 7],
  ])("gives the names of columns %s, and where the rows begin", async (_name, file, names, line, byte) => {
    expect(await header(file)).toEqual({ names, next: { row: 0, line, byte } });
  });

  test("is followed by rows that are counted from 1 on", async () => {
    const file = Buffer.from('\n"a\n",b\n\n1,2\n3,4');
    const { next } = await readHeader(inParts(file), options);
    const { rows } = await readAll(csvRows(inParts(file.subarray(next.byte)), { ...options, from: next }));
    expect(rows).toMatchObject([
      { row: 1, line: 5, cells: ["1", "2"] },
      { row: 2, line: 6, cells: ["3", "4"] },
    ]);
  });

  test.each([
    ["EMPTY_FILE", "", {}],
    ["EMPTY_FILE", "\r\n\n\r", {}],
    ["UNKNOWN_COLUMN", "a,b,c,d\n", { maximum: 3 }],
    ["QUOTE_NOT_CLOSED", '\na,"b\n1,2', { line: 2, column: 2 }],
    ["BAD_QUOTE", 'a,b"\n', { line: 1, column: 2 }],
    ["ROW_TOO_LARGE", `${"a".repeat(1_001)}\n`, { line: 1 }],
  ])("is refused with %s", async (code, file, extensions) => {
    for (const size of [1, 65_536]) {
      const problem = await problemIn(() => header(file, size));
      expect(problem).toMatchObject({ code, extensions });
      expect(problem?.extensions["row"]).toBeUndefined();
    }
  });

  test("says where it ends: a fault behind it is none of it", async () => {
    expect(await header('a\n"b', 65_536)).toMatchObject({ names: ["a"] });
  });

  test("is read from the beginning of a file only", async () => {
    const source = new Endless(repeat("", "a,b\n"));
    await readHeader(source, options);
    expect(source.bytes).toBeLessThan(100);
    expect(source.isClosed).toBe(true);
  });
});
