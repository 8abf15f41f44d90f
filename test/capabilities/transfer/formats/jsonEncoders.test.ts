import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonArrayEncoder } from "../../../../src/capabilities/transfer/formats/jsonArrayEncoder.js";
import { jsonArrayRows } from "../../../../src/capabilities/transfer/formats/jsonArrayRows.js";
import { ndjsonEncoder } from "../../../../src/capabilities/transfer/formats/ndjsonEncoder.js";
import { ndjsonRows } from "../../../../src/capabilities/transfer/formats/ndjsonRows.js";
import { beginning, type RowSource } from "../../../../src/capabilities/transfer/rows.js";
import type { RowEncoder } from "../../../../src/language/csv/rowEncoder.js";
import { inParts, readAll } from "./files.js";

type Row = Readonly<Record<string, unknown>>;

const write = (encoder: RowEncoder, ...chunks: readonly (readonly Row[])[]) =>
  encoder.begin() + chunks.map((rows) => encoder.encode(rows)).join("") + encoder.end();

const options = { limits: { rowBytes: 1_000_000, depth: 64, members: 1_000, values: 20_000 }, from: beginning };

describe("rows as NDJSON", () => {
  test("are a line each, and nothing where there are none", () => {
    expect(write(ndjsonEncoder(), [{ a: 1 }, { a: "x\ny" }], [], [{ a: [null] }])).toBe('{"a":1}\n{"a":"x\\ny"}\n{"a":[null]}\n');
    expect(write(ndjsonEncoder())).toBe("");
    expect(ndjsonEncoder()).toMatchObject({ contentType: "application/x-ndjson", extension: "ndjson" });
  });
});

describe("rows as a JSON array", () => {
  test("are an item each, and an array also where there are none", () => {
    expect(write(jsonArrayEncoder(), [{ a: 1 }, { a: 2 }], [], [{ a: 3 }])).toBe('[\n{"a":1},\n{"a":2},\n{"a":3}\n]\n');
    expect(JSON.parse(write(jsonArrayEncoder()))).toEqual([]);
    expect(jsonArrayEncoder()).toMatchObject({ contentType: "application/json", extension: "json" });
  });
});

describe("JSON that was written", () => {
  const formats: readonly [string, () => RowEncoder, (text: string, size: number) => RowSource][] = [
    ["NDJSON", ndjsonEncoder, (text, size) => ndjsonRows(inParts(text, size), options)],
    ["an array", jsonArrayEncoder, (text) => jsonArrayRows(Buffer.from(text), options)],
  ];

  test.each(formats)("as %s is read as the rows that it was written from", async (_name, encoder, read) => {
    const rows = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rows, rows, fc.integer({ min: 1, max: 12 }), async (first, second, size) => {
        const text = write(encoder(), first, second);
        fc.pre(!text.includes("__proto__"));
        const { rows: found } = await readAll(read(text, size));
        expect(found.map(({ value }) => value)).toEqual(JSON.parse(JSON.stringify([...first, ...second])));
      }),
    );
  });
});
