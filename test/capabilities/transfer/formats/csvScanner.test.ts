// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CsvScanner } from "../../../../src/capabilities/transfer/formats/csvScanner.js";
import { beginning } from "../../../../src/capabilities/transfer/rows.js";
import { randomOf } from "../../../fuzz/random.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { judge, randomFile, scan } from "./csvJudge.js";

const limits = { rowBytes: 1_000_000, columns: 1_000 };

describe("the scanner of CSV", () => {
  test("finds what csv-parse finds, in well-formed files and in others", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const file = randomFile(randomOf(seed));
        expect(scan(file)).toEqual(judge(file));
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test("reads a row of a megabyte in single bytes without looking at them again", () => {
    const scanner = new CsvScanner({ delimiter: ",", from: beginning, limits });
    const row = Buffer.from(`"${"x".repeat(500_000)}",${"y".repeat(499_000)}\n`);
    const faults = Array.from(row, (byte) => scanner.add(Uint8Array.of(byte))).filter((fault) => fault !== undefined);
    expect(faults).toEqual([]);
    const [chunk] = scanner.chunks.flush();
    expect(chunk?.rows[0]?.cells?.map(({ length }) => length)).toEqual([500_000, 499_000]);
  });

  test("reads bytes that are not UTF-8 as replacement characters, and no other cell shifts", () => {
    const scanner = new CsvScanner({ delimiter: ",", from: beginning, limits });
    scanner.add(Uint8Array.from([0x61, 0xff, 0x2c, 0x62, 0x2c, 0xe2, 0x82, 0x0a]));
    expect(scanner.chunks.flush()[0]?.rows[0]?.cells).toEqual(["a\uFFFD", "b", "\uFFFD"]);
  });

  test("keeps one cell more than allowed of a row with a million, and counts all", () => {
    const scanner = new CsvScanner({ delimiter: ",", from: beginning, limits });
    scanner.add(Buffer.from(`a,b\n${",".repeat(1_000)}\n`));
    scanner.add(Buffer.alloc(999_999, ","));
    scanner.add(Buffer.from("\nc"));
    scanner.end();
    const rows = scanner.chunks.flush().flatMap((chunk) => chunk.rows);
    expect(rows.map(({ cells, width }) => [cells?.length, width])).toEqual([
      [2, undefined],
      [1_001, undefined],
      [1_001, 1_000_000],
      [1, undefined],
    ]);
  });

  test.each(["", ",,", '"', "\n", "é", "😀"])("refuses the delimiter %j", (delimiter) => {
    expect(() => new CsvScanner({ delimiter, from: beginning, limits })).toThrow(RangeError);
  });
});
