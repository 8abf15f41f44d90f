import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compileCell } from "../../../src/capabilities/transfer/import/columns/cell.js";
import { introspect } from "../../../src/language/schema/introspect.js";
import { takesEmptyText } from "../../../src/language/schema/scalarText.js";

const read = (schema: z.ZodType, cell: string) => compileCell(introspect("field", schema))(cell);

const deep = `${"[".repeat(70)}${"]".repeat(70)}`;
const tooMany = JSON.stringify(Array(40_000).fill(1));
const strings = z.array(z.string());
const scalar = z.union([z.string(), z.number(), z.boolean()]);

describe("a cell is read", () => {
  test.each<[string, z.ZodType, string, unknown]>([
    ["a text as it is", z.string(), " 007 ", " 007 "],
    ["a text that looks like a value as it is", z.string(), "true", "true"],
    ["a text that looks like JSON as it is", z.string(), '{"a":1}', '{"a":1}'],
    ["an int", z.int(), "42", 42],
    ["an int between blanks", z.int(), " -7 ", -7],
    ["an int with a sign and zeros in front", z.int(), "+007", 7],
    ["an int with decimals as text, which the schema refuses", z.int(), "1.0", "1.0"],
    ["an int that would be rounded as a text that no row may have", z.int(), "9007199254740993", "\u00009007199254740993"],
    ["a number that would be rounded likewise", z.number(), " +1234567890123456789 ", "\u0000+1234567890123456789"],
    ["an integer of so many digits that binary64 has", z.number(), "100000000000000000000", 1e20],
    ["an integer that would be rounded as text where a text may stand", scalar, "1234567890123456789", "1234567890123456789"],
    ["an integer in JSON that would be rounded likewise", z.array(z.number()), "[1, 9007199254740993]", [1, "\u00009007199254740993"]],
    ["a hexadecimal int as text", z.int(), "0x1f", "0x1f"],
    ["a number", z.number(), "1.5", 1.5],
    ["a number with an exponent", z.number(), "-1.5E-3", -0.0015],
    ["a number without a digit in front", z.number(), ".5", 0.5],
    ["NaN as text", z.number(), "NaN", "NaN"],
    ["Infinity as text", z.number(), "Infinity", "Infinity"],
    ["a number beyond binary64 as text", z.number(), "1e400", "1e400"],
    ["a number with a comma as text", z.number(), "1,5", "1,5"],
    ["blanks for a number as text", z.number(), "  ", "  "],
    ["true", z.boolean(), "true", true],
    ["TRUE between blanks", z.boolean(), " TRUE ", true],
    ["1 for true", z.boolean(), "1", true],
    ["0 for false", z.boolean(), "0", false],
    ["yes for a boolean as text", z.boolean(), "yes", "yes"],
    ["a bigint as its digits", z.bigint(), " 9007199254740993 ", "9007199254740993"],
    ["a date-time without its blanks", z.date(), " 2026-01-02T03:04:05Z ", "2026-01-02T03:04:05Z"],
    ["a date alone as the first instant of its day", z.date(), " 2026-01-02 ", "2026-01-02T00:00:00.000Z"],
    [
      "a date alone in an array of date-times",
      z.array(z.iso.datetime()),
      "2026-01-02|2026-01-03T04:05:06Z",
      ["2026-01-02T00:00:00.000Z", "2026-01-03T04:05:06Z"],
    ],
    ["a date alone in a union", z.union([z.int(), z.date()]), "2026-01-02", "2026-01-02T00:00:00.000Z"],
    ["30 February as text, which the schema refuses", z.date(), "2026-02-30", "2026-02-30"],
    ["a date without its blanks", z.iso.date(), " 2026-01-02", "2026-01-02"],
    ["an enum of texts as it is", z.enum(["a", "b"]), "a ", "a "],
    ["a literal number", z.literal([1, 2]), " 2", 2],
    ["a literal boolean", z.literal(false), "false", false],
    ["a value that is none of an enum as text", z.literal([1, 2]), "3", "3"],
    ["an array of JSON", strings, '["a","b|c"]', ["a", "b|c"]],
    ["an array between bars", strings, "a | b|", ["a", "b", ""]],
    ["an array of one", strings, "a", ["a"]],
    ["an array of nothing", strings, " ", []],
    ["an array of ints between bars", z.array(z.int()), "1|x|3", [1, "x", 3]],
    ["an array between bars that begins with a bracket", strings, "[draft]|final", ["[draft]", "final"]],
    ["an array of broken JSON as text, which the schema refuses", strings, '["a", "b"', '["a", "b"'],
    ["an array of JSON with NUL, which the check of the row refuses", strings, '["a\\u0000"]', ["a\0"]],
    ["an array of JSON with half a surrogate pair, likewise", strings, '["\\ud800"]', ["\ud800"]],
    ["an array that is too deep as text", z.array(z.unknown()), deep, deep],
    ["an array of JSON with too many values as text", z.array(z.int()), tooMany, tooMany],
    ["a list with too many values as text", strings, tooMany.slice(1, -1).replaceAll(",", "|"), tooMany.slice(1, -1).replaceAll(",", "|")],
    ["a long array of JSON that is broken as text", z.unknown(), `${tooMany.slice(0, 50_000)}`, tooMany.slice(0, 50_000)],
    ["an object", z.object({ a: z.int() }), ' {"a":1}', { a: 1 }],
    ["an object with __proto__ as text", z.object({ a: z.int() }), '{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
    ["an array for an object as text", z.object({ a: z.int() }), "[1]", "[1]"],
    ["a record", z.record(z.string(), z.int()), '{"x":1}', { x: 1 }],
    ["broken JSON as text", z.record(z.string(), z.int()), '{"x":', '{"x":'],
    ["anything as JSON", z.unknown(), '[{"a":null}]', [{ a: null }]],
    ["anything else as text", z.unknown(), "12", "12"],
    ["a union's number", scalar, "12", 12],
    ["a union's boolean", scalar, "true", true],
    ["a union's text where a number would be written otherwise", scalar, "007", "007"],
    ["a union's text where 1 would be true", z.union([z.boolean(), z.string()]), "1", "1"],
    ["a union's text where it could be an array", z.union([strings, z.string()]), "a|b", "a|b"],
    ["a union's text in a brace", z.union([strings, z.string()]), "{a", "{a"],
    ["a union's text in a bracket", z.union([z.string(), strings]), "[a|b", "[a|b"],
    ["any JSON that is text in a brace", z.json(), "{a}", "{a}"],
    ["any JSON that is text in a bracket", z.json(), "[a", "[a"],
    ["any JSON that is an object", z.json(), '{"a":[1,"b"]}', { a: [1, "b"] }],
    ["any JSON that is an array", z.json(), '[{"a":null}]', [{ a: null }]],
    ["a union's array", z.union([strings, z.string()]), '["a"]', ["a"]],
    ["a union's number that is also a boolean", z.union([z.boolean(), z.number()]), "1", 1],
    ["a union's number in other words where there is no text", z.union([z.boolean(), z.number()]), "1.50", 1.5],
    ["a union's literal", z.union([z.literal("auto"), z.number()]), "auto", "auto"],
    ["what may be null, is optional or has a default as what it is", z.int().nullable().optional().default(3), "4", 4],
  ])("%s", (_, schema, cell, expected) => {
    expect(read(schema, cell)).toEqual(expected);
  });
});

describe("the empty text", () => {
  test.each<[string, z.ZodType, boolean]>([
    ["text", z.string(), true],
    ["an e-mail address, which the schema refuses", z.email(), true],
    ["anything", z.unknown(), true],
    ["an enum that has it", z.enum(["", "a"]), true],
    ["an enum that has it not", z.enum(["a"]), false],
    ["a union with text", z.union([z.int(), z.string()]), true],
    ["a union without", z.union([z.int(), z.boolean()]), false],
    ["an int", z.int(), false],
    ["an array", strings, false],
    ["a date", z.date(), false],
  ])("is a value where it should be: %s", (_, schema, expected) => {
    expect(takesEmptyText(introspect("field", schema))).toBe(expected);
  });
});
