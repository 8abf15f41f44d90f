import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvRows } from "../../../src/capabilities/transfer/formats/csvRows.js";
import { readHeader } from "../../../src/capabilities/transfer/formats/readHeader.js";
import { utf8Text } from "../../../src/capabilities/transfer/formats/utf8Text.js";
import { beginning, type SourceRow } from "../../../src/capabilities/transfer/rows.js";
import { type CsvEncoderOptions, csvEncoder } from "../../../src/language/csv/csvEncoder.js";
import { escapeFormula, unescapeFormula } from "../../../src/language/csv/formula.js";
import { inParts, readAll, textOf } from "../../capabilities/transfer/formats/files.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

type Row = Readonly<Record<string, unknown>>;

const limits = { rowBytes: 1_000_000, columns: 1_000 };
const columns = (...names: readonly string[]) => names.map((name) => ({ name, path: name.split(".") }));

function write(rows: readonly Row[], options: Partial<CsvEncoderOptions> & Pick<CsvEncoderOptions, "columns">): string {
  const encoder = csvEncoder(options);
  return encoder.begin() + encoder.encode(rows.slice(0, 1)) + encoder.encode(rows.slice(1)) + encoder.end();
}

/** The one cell that a value becomes. */
function cell(value: unknown, options: Partial<CsvEncoderOptions> = {}): string {
  return write([{ value, more: 1 }], { columns: columns("value", "more"), header: false, ...options }).replace(/,1\r\n$/, "");
}

describe("rows as CSV", () => {
  test("have a header, end in CRLF, and are text/csv in UTF-8", () => {
    expect(
      write(
        [
          { id: 1, name: "Ada" },
          { id: 2, name: "é" },
        ],
        { columns: columns("id", "name") },
      ),
    ).toBe("id,name\r\n1,Ada\r\n2,é\r\n");
    expect(csvEncoder({ columns: [] })).toMatchObject({ contentType: "text/csv; charset=utf-8", extension: "csv" });
  });

  test("have a header also where there are none", () => {
    expect(write([], { columns: columns("id", "name") })).toBe("id,name\r\n");
  });

  test("have none where it is not wanted, and a byte-order mark where it is", () => {
    expect(write([{ id: 1 }], { columns: columns("id"), header: false, byteOrderMark: true })).toBe("\uFEFF1\r\n");
    expect(write([{ id: 1 }], { columns: columns("id"), byteOrderMark: true })).toBe("\uFEFFid\r\n1\r\n");
  });

  test.each<[unknown, string]>([
    ["text", "text"],
    ["007", "007"],
    [" padded ", " padded "],
    ["", '""'],
    [null, ""],
    [undefined, ""],
    [true, "true"],
    [false, "false"],
    [0, "0"],
    [-5.25, "-5.25"],
    [1e21, "1e+21"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [["a", 1], '"[""a"",1]"'],
    [[], "[]"],
    [{ a: { b: null } }, '"{""a"":{""b"":null}}"'],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["a\nb", '"a\nb"'],
    ["a\rb", '"a\rb"'],
    ["a\r\nb", '"a\r\nb"'],
    ["a;b", "a;b"],
    ["\uFEFFa", '"\uFEFFa"'],
    ["=1+1", "'=1+1"],
    ["-5", "-5"],
    ["+44 20 7946 0958", "+44 20 7946 0958"],
    ["\t", "'\t"],
    ["\n", '"\'\n"'],
  ])("have %j as %j", (value, text) => {
    expect(cell(value)).toBe(text);
  });

  test.each(['"', "\n", "\r", ""])("cannot have %j between them", (delimiter) => {
    expect(() => csvEncoder({ columns: columns("a"), delimiter })).toThrow("text without quotes or line ends");
  });

  test.each([null, "id", {}, { name: "id" }, { path: ["id"] }, { name: "id", path: "id" }])("cannot be %j", (column) => {
    expect(() => csvEncoder({ columns: [column as never] })).toThrow('csvEncoder: "columns[0]" must be a column with a name and a path');
  });

  test.each([";", "\t", "|"])("have cells with %j between them", (delimiter) => {
    const text = write([{ a: `x${delimiter}`, b: "1,2" }], { columns: columns("a", "b"), delimiter });
    expect(text).toBe(`a${delimiter}b\r\n"x${delimiter}"${delimiter}1,2\r\n`);
  });

  test("have formulas as they are where that is asked for", () => {
    expect(cell("=1+1", { formulas: "literal" })).toBe("=1+1");
  });

  test("have names of columns escaped like any text", () => {
    expect(
      write([], {
        columns: [
          { name: "=1", path: ["a"] },
          { name: 'a"b', path: ["b"] },
        ],
      }),
    ).toBe('\'=1,"a""b"\r\n');
  });

  test("have values from where their columns point to, and nothing where nothing is", () => {
    const rows = [{ address: { city: "London" } }, { address: null }, {}, { address: "none" }, { address: { city: null } }];
    expect(write(rows, { columns: columns("address.city", "address.constructor.name", "toString"), header: false })).toBe(
      "London,,\r\n,,\r\n,,\r\n,,\r\n,,\r\n",
    );
  });

  test("are never blank lines, which would be no rows", () => {
    expect(write([{ a: null }, { a: "" }, {}], { columns: columns("a"), header: false })).toBe('""\r\n""\r\n""\r\n');
  });
});

const unit = fc.constantFrom("a", "é", "😀", "1", " ", ",", ";", '"', "\n", "\r", "'", "=", "-", "+", "\t", "\uFEFF", "\0", "＝");

test("rows are written as csv-stringify writes them", () => {
  const scalar = fc.oneof(
    fc.string({ unit, maxLength: 6 }),
    fc.constantFrom("", null, undefined, true, false),
    fc.double(),
    fc.bigInt(),
    fc.date({ noInvalidDate: true }),
    fc.array(fc.string({ unit, maxLength: 2 }), { maxLength: 2 }),
  );
  const row = fc.record({ a: scalar, b: scalar, "c d": fc.string({ unit, maxLength: 3 }) });
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 4 }),
      fc.constantFrom(",", ";", "\t", "|", "1", "::"),
      fc.boolean(),
      fc.subarray(["a", "b", "c d"], { minLength: 1 }),
      (rows, delimiter, escapes, names) => {
        const nothing = names.length === 1 ? "" : undefined;
        const records = rows.map((values) => names.map((name) => values[name as keyof typeof values] ?? nothing));
        const expected = stringify([names, ...records], {
          delimiter,
          record_delimiter: "\r\n",
          quote_record_delimiter: true,
          quoted_match: /^(?:$|\uFEFF)/,
          cast: {
            boolean: String,
            date: (date) => date.toISOString(),
            object: (value) => JSON.stringify(value),
            ...(escapes ? { string: escapeFormula } : {}),
          },
        });
        expect(write(rows, { columns: columns(...names), delimiter, formulas: escapes ? "escape" : "literal" })).toBe(expected);
      },
    ),
    { numRuns: propertyRuns(1_000) },
  );
});

describe("CSV that was written", () => {
  const value = fc.oneof(fc.string({ unit, maxLength: 6 }), fc.constantFrom("", null));
  const rows = fc.array(fc.record({ a: value, b: value, c: value }), { maxLength: 5 });

  /** What an importer makes of it that undoes what was escaped. */
  const valuesOf = ({ cells = [], quotedEmpty }: SourceRow) =>
    cells.map((text, index) => (text === "" && !quotedEmpty?.has(index) ? null : unescapeFormula(text)));

  test("is read as the rows that it was written from, and written as the same bytes again", async () => {
    const sizes = fc.integer({ min: 1, max: 12 });
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(",", ";", "\t", "|"), fc.boolean(), sizes, async (written, delimiter, byteOrderMark, size) => {
        const options = { columns: columns("a", "b", "c"), delimiter, byteOrderMark };
        const file = write(written, options);
        const text = await textOf(utf8Text(inParts(file, size)));
        const { names, next } = await readHeader(inParts(text, size), { delimiter, limits });
        expect(names).toEqual(["a", "b", "c"]);
        const read = await readAll(csvRows(inParts(Buffer.from(text).subarray(next.byte), size), { delimiter, limits, from: next }));
        const found = read.rows.map((row) => {
          const [a, b, c] = valuesOf(row);
          return { a, b, c };
        });
        expect(found).toEqual(written);
        expect(write(found, options)).toBe(file);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  test("has its first cell whole, also where that begins like a byte-order mark", async () => {
    const file = write([{ a: "\uFEFFx" }], { columns: columns("a"), header: false });
    const { rows: found } = await readAll(csvRows(utf8Text(inParts(file, 1)), { delimiter: ",", limits, from: beginning }));
    expect(found).toMatchObject([{ cells: ["\uFEFFx"] }]);
  });
});
