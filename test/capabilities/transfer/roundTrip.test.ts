// @slow

import fc from "fast-check";
import { csvEncoder, importRows, jsonArrayEncoder, ndjsonEncoder, type RowEncoder, type TransferFormat } from "restwright/transfer";
import { expect, test } from "vitest";
import { z } from "zod";
import { compileCell } from "../../../src/capabilities/transfer/import/columns/cell.js";
import { csvColumns } from "../../../src/language/csv/columns.js";
import { introspect, introspectObject } from "../../../src/language/schema/introspect.js";
import { inParts } from "./formats/files.js";

const either = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

const schema = z.object({
  name: z.string(),
  note: z.string().nullable(),
  age: z.int().nullable(),
  score: z.number(),
  big: z.bigint(),
  vip: z.boolean(),
  born: z.date().optional(),
  day: z.iso.date(),
  kind: z.enum(["", "a", "=b", "true"]),
  level: z.literal([1, 2, true]),
  tags: z.array(z.string()),
  grid: z.array(z.array(z.int())).nullable(),
  "=sum": z.object({ city: z.string(), zip: z.string().nullable(), geo: z.object({ lat: z.number() }).optional() }),
  extra: z.record(z.string(), z.unknown()),
  either,
  anything: z.unknown().optional(),
});

type Row = z.output<typeof schema>;

const unit = fc.constantFrom("a", "é", "😀", "1", "0", " ", ",", ";", '"', "\n", "\r", "'", "=", "-", "+", "\t", "|", "{", "[", "]", "\\", "\uFEFF");
const text = fc.string({ unit, maxLength: 6 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const int = fc.maxSafeInteger();
const readEither = compileCell(introspect("either", either));

const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.record(
    {
      name: text,
      note: fc.option(text),
      age: fc.option(int),
      score: number,
      big: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      vip: fc.boolean(),
      born: fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true }),
      day: fc.constantFrom("2026-01-31", "0001-01-01"),
      kind: fc.constantFrom("" as const, "a" as const, "=b" as const, "true" as const),
      level: fc.constantFrom(1 as const, 2 as const, true as const),
      tags: fc.array(text, { maxLength: 3 }),
      grid: fc.option(fc.array(fc.array(int, { maxLength: 2 }), { maxLength: 2 })),
      "=sum": fc.record({ city: text, zip: fc.option(text), geo: fc.record({ lat: number }) }, { requiredKeys: ["city", "zip"] }),
      extra: fc.dictionary(text, fc.oneof(text, int, fc.boolean(), fc.constant(null)), { maxKeys: 2, noNullPrototype: true }),
      // A text that looks like a number is read as one: nothing in CSV tells them apart.
      either: fc.oneof(
        text.filter((value) => readEither(value) === value),
        number,
        fc.boolean(),
        fc.array(text, { maxLength: 2 }),
      ),
      anything: fc.array(fc.oneof(text, int), { maxLength: 2 }),
    },
    // An empty cell is null where the type has null, so that "anything" must have a value.
    { requiredKeys: ["name", "note", "age", "score", "big", "vip", "day", "kind", "level", "tags", "grid", "=sum", "extra", "either", "anything"] },
  ),
  { minLength: 1, maxLength: 4 },
) as fc.Arbitrary<Row[]>;

const fields = introspectObject(schema);
const columns = csvColumns(fields, new Map([...fields.keys()].map((name) => [name, true as const])));

const encoders: readonly [string, TransferFormat, () => RowEncoder, string | undefined][] = [
  ["CSV", "csv", () => csvEncoder({ columns }), undefined],
  ["CSV with semicolons and a byte-order mark", "csv", () => csvEncoder({ columns, delimiter: ";", byteOrderMark: true }), ";"],
  ["NDJSON", "ndjson", ndjsonEncoder, undefined],
  ["a JSON array", "json", jsonArrayEncoder, undefined],
];

test.each(encoders)("whatever rows are written as %s are imported as they were", async (_, format, encoderOf, delimiter) => {
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom(1, 7, 65_536), async (written, size) => {
      const encoder = encoderOf();
      const wire = written.map((row) => ({ ...row, big: row.big.toString() }));
      const file = encoder.begin() + encoder.encode(wire) + encoder.end();
      const imported: Row[] = [];
      const sink = { write: async (taken: readonly { value: Row }[]) => void imported.push(...taken.map(({ value }) => value)) };
      const { errors } = await importRows(inParts(file, size), {
        schema,
        sink,
        format,
        delimiter,
        formulas: format === "csv" ? "escaped" : "literal",
      });
      expect(errors.map(({ faults }) => faults)).toEqual([]);
      expect(imported).toEqual(written);
    }),
    { numRuns: 25 },
  );
});
