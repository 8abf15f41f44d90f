import { defineResource } from "restwright";
import { bytes, date, decimal } from "restwright/values";
import { z } from "zod";

/** A table of SQLite with a column of each affinity and form, and a collection over it. */
export const things = defineResource("things", {
  schema: z.object({
    id: z.int(),
    whole: z.int().nullable(),
    big: z.bigint().nullable(),
    digits: z.string().nullable(),
    price: z.number().nullable(),
    exactPrice: decimal({ precision: 15, scale: 4 }).nullable(),
    ratio: z.number().nullable(),
    flag: z.boolean().nullable(),
    at: z.date().nullable(),
    epoch: z.date().nullable(),
    day: date().nullable(),
    word: z.string().nullable(),
    loose: z.string().nullable(),
    trimmed: z.string().nullable(),
    mood: z.enum(["sad", "ok", "happy"]).nullable(),
    ref: z.uuid().nullable(),
    doc: z.object({ city: z.string().nullable().optional(), floor: z.number().nullable().optional() }).nullable(),
    tags: z.array(z.string()).nullable(),
    data: bytes().nullable(),
  }),
  generated: { id: "database" },
  table: {
    ...{ name: "things", managed: false, casing: "snake_case", version: "hash", tenant: "shared" },
    columns: { epoch: { name: "epoch", as: "epoch-ms" } },
  },
});

/** The types of the columns by the fields, with values of which many rows share one. */
const columns: Readonly<Record<string, { readonly column: string; readonly type: string; readonly values: readonly string[] }>> = {
  whole: { column: "whole", type: "integer", values: ["-2147483648", "-1", "10", "9"] },
  big: { column: "big", type: "bigint", values: ["-9223372036854775808", "9007199254740993", "9223372036854775807"] },
  digits: { column: "digits", type: "integer", values: ["10", "9", "9007199254740993"] },
  price: { column: "price", type: "numeric", values: ["10", "9.5", "-3.25"] },
  exactPrice: { column: "exact_price", type: "decimal(15, 4)", values: ["10", "9.5", "0.0001"] },
  ratio: { column: "ratio", type: "real", values: ["0.1", "1e300", "-2"] },
  flag: { column: "flag", type: "boolean", values: ["0", "1"] },
  at: { column: "at", type: "datetime", values: ["'2026-01-31 12:00:00.123456'", "'2026-01-31T12:00:00Z'"] },
  epoch: { column: "epoch", type: "integer", values: ["1769860800123", "-1"] },
  day: { column: "day", type: "date", values: ["'2026-01-31'", "'0001-01-01'"] },
  word: { column: "word", type: "text", values: ["''", "'a'", "'B'", "'é'"] },
  loose: { column: "loose", type: "varchar(8) collate nocase", values: ["'a'", "'A'", "'b'"] },
  trimmed: { column: "trimmed", type: "text collate rtrim", values: ["'a'", "'a  '", "'b'"] },
  mood: { column: "mood", type: "text", values: ["'happy'", "'sad'", "'ok'"] },
  ref: { column: "ref", type: "uuid", values: ["'00000000-0000-4000-8000-000000000001'", "'f0000000-0000-4000-8000-00000000000f'"] },
  "doc.city": { column: "doc", type: "json", values: [`'{"city":"Rome","floor":2}'`, `'{"floor":1.5}'`, "'{}'"] },
};

/** Fields by which lists can be sorted. */
export const sortable: readonly string[] = Object.keys(columns);

/** Statements that create the table with `rows` rows, nulls among the values. */
export function thingsStatements(rows: number): string[] {
  const declared = Object.values(columns).map(({ column, type }) => `${column} ${type}`);
  const values = Array.from({ length: rows }, (_, row) =>
    Object.values(columns).map((column, index) => column.values[(row * (7 + index)) % (column.values.length + 1)] ?? "null"),
  );
  return [
    `create table things (id integer primary key, ${declared.join(", ")}, tags json, data blob)`,
    ...values.map((row, index) => `insert into things values (${[index + 1, ...row, `'["a"]'`, "x'00ff'"].join(", ")})`),
  ];
}
