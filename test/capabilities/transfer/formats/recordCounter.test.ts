import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvRows } from "../../../../src/capabilities/transfer/formats/csvRows.js";
import { jsonArrayRows } from "../../../../src/capabilities/transfer/formats/jsonArrayRows.js";
import { ndjsonRows } from "../../../../src/capabilities/transfer/formats/ndjsonRows.js";
import { type RecordCount, recordCounter } from "../../../../src/capabilities/transfer/formats/recordCounter.js";
import { beginning, type TransferFormat } from "../../../../src/capabilities/transfer/rows.js";
import { csvFiles } from "./csvFiles.js";
import { inParts, readAll } from "./files.js";

async function count(format: TransferFormat, file: string, size: number): Promise<RecordCount> {
  const counter = recordCounter(format);
  for await (const part of inParts(file, size)) counter.add(part);
  return counter.end();
}

const limits = { rowBytes: 1_000, columns: 1_000, depth: 32, members: 100, values: 1_000 };
const sizes = fc.integer({ min: 1, max: 12 });

describe("the records of a file", () => {
  test.each<[TransferFormat, string, number, number]>([
    ["csv", "", 0, 0],
    ["csv", "\r\n\n\r", 0, 3],
    ["csv", "a,b\n1,2", 2, 2],
    ["csv", "a,b\r\n1,2\r\n", 2, 2],
    ["csv", "a\r\r\n\n1\n \n", 3, 5],
    ["csv", 'a,"x\r\ny\n\r""\n"\n"', 2, 6],
    ["ndjson", "", 0, 0],
    ["ndjson", "\n \t\r\n", 0, 2],
    ["ndjson", '{}\n\n  {"a":"\\n"}\r\n\r\n1', 3, 5],
    ["ndjson", "{}\r{}\n\u00A0\n", 2, 2],
    ["json", "", 0, 0],
    ["json", " [ ] ", 0, 1],
    ["json", '[{"a":[1,2]},\n"],[\\"",[],{}\n,1]\n', 5, 3],
  ])("of %s, %j", async (format, file, records, lines) => {
    for (const size of [1, 2, 3, 100]) expect(await count(format, file, size)).toEqual({ records, lines });
  });

  test("of CSV are as many as are read", async () => {
    await fc.assert(
      fc.asyncProperty(csvFiles, sizes, async ({ text, rows, lines }, size) => {
        expect(await count("csv", text, size)).toEqual({ records: rows.length, lines });
        const read = await readAll(csvRows(inParts(text), { delimiter: ",", limits, from: beginning }));
        expect(read.rows).toHaveLength(rows.length);
      }),
    );
  });

  test("of NDJSON are as many as are read, also of any text at all", async () => {
    const texts = fc.string({ unit: fc.constantFrom("{", "}", '"', "1", " ", "\t", "\n", "\r", "\u00A0"), maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(texts, sizes, async (text, size) => {
        const { rows } = await readAll(ndjsonRows(inParts(text, size), { limits, from: beginning }));
        expect((await count("ndjson", text, size)).records).toBe(rows.length);
      }),
    );
  });

  test("of an array are as many as are read", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.constantFrom(undefined, 1), sizes, async (items, indent, size) => {
        const text = JSON.stringify(items, undefined, indent);
        const { rows } = await readAll(jsonArrayRows(Buffer.from(text), { limits, from: beginning }));
        expect((await count("json", text, size)).records).toBe(rows.length);
      }),
    );
  });

  test("are known while a file passes by, and so is the line", () => {
    const counter = recordCounter("csv");
    expect([counter.row, counter.line]).toEqual([0, 1]);
    counter.add(Buffer.from('a\r\n1,"\n'));
    expect([counter.row, counter.line]).toEqual([1, 3]);
    counter.add(Buffer.from('"\r'));
    expect([counter.row, counter.line]).toEqual([2, 4]);
  });
});
