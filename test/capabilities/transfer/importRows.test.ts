// @slow

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { type ImportedRow, type ImportRowsOptions, importRows, type RowFault } from "restwright/transfer";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Endless, inParts, problemIn, repeat } from "./formats/files.js";

const schema = z.object({ name: z.string().min(1), age: z.int().optional(), email: z.email().nullable().optional() });

type Row = z.output<typeof schema>;
type Options = Partial<ImportRowsOptions<typeof schema>> & { readonly refuse?: (row: Row) => RowFault | undefined; readonly size?: number };

/** What reached the sink, what became of the file, and what ended it. */
async function run(file: string | Uint8Array | AsyncIterable<Uint8Array>, { refuse, size, ...options }: Options = {}) {
  const taken: ImportedRow<Row>[] = [];
  const write = async (rows: readonly ImportedRow<Row>[]) => {
    taken.push(...rows.filter(({ value }) => refuse?.(value) === undefined));
    return refuse === undefined ? undefined : rows.map(({ value }) => refuse(value));
  };
  let summary: Awaited<ReturnType<typeof importRows>> | undefined;
  const source = typeof file === "string" || file instanceof Uint8Array ? inParts(file, size) : file;
  const problem = await problemIn(async () => {
    summary = await importRows(source, { schema, sink: { write }, ...options });
  });
  return {
    values: taken.map(({ value }) => value),
    taken,
    counts: summary && [summary.imported, summary.failed],
    errors: summary?.errors.map(({ row, line, faults }) => [row, line, ...faults.map(({ code, field }) => (field ? `${code} ${field}` : code))]),
    problem: problem && [problem.code, problem.message],
    extensions: problem?.extensions,
  };
}

const csv = "name,age\nAda,36\nBob,\n";
const people = [{ name: "Ada", age: 36 }, { name: "Bob" }];
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");

describe("a file of rows", () => {
  test.each<[string, string | Uint8Array, Options]>([
    ["CSV", csv, {}],
    ["CSV with other line ends, mixed", "name,age\r\nAda,36\rBob,\r\n\n", {}],
    ["CSV with another delimiter", csv.replaceAll(",", ";"), { delimiter: ";" }],
    ["CSV with a byte-order mark", `\uFEFF${csv}`, {}],
    ["CSV in UTF-16", utf16(csv), {}],
    ["CSV in UTF-16 without a mark", utf16(csv).subarray(2), { charset: "utf-16le" }],
    ["CSV in UTF-16, the other way round", utf16(csv).swap16(), {}],
    ["CSV as gzip", gzipSync(csv), { gzip: true }],
    ["CSV in UTF-16 as gzip", gzipSync(utf16(csv)), { gzip: true }],
    [
      "CSV with other names",
      "Full name;x;Alter\nAda;;36\nBob;;",
      { delimiter: ";", map: { "Full name": "name", Alter: "age" }, unknownColumns: "ignore" },
    ],
    ["CSV behind an offset", "name,age\nEve,1\n,x\nAda,36\nBob,\n", { offset: 2 }],
    ["NDJSON", '{"name":"Ada","age":36}\n\n{"name":"Bob"}', { format: "ndjson" }],
    ["NDJSON in UTF-16", utf16('{"name":"Ada","age":36}\r\n{"name":"Bob"}\r\n'), { format: "ndjson" }],
    ["NDJSON with other names", '{"n":"Ada","age":36,"x":1}\n{"name":"Bob"}', { format: "ndjson", map: { n: "name" }, unknownColumns: "ignore" }],
    ["NDJSON behind an offset", 'no JSON\n{"name":"Ada","age":36}\n{"name":"Bob"}', { format: "ndjson", offset: 1 }],
    ["a JSON array", '[{"name":"Ada","age":36},\n{"name":"Bob"}]', { format: "json" }],
    ["a JSON array as gzip, behind an offset", gzipSync('[1,{"name":"Ada","age":36},{"name":"Bob"}]'), { format: "json", gzip: true, offset: 1 }],
  ])("%s gives its rows, in whatever parts it comes", async (_, file, options) => {
    for (const size of [1, 7, 65_536]) {
      const { values, counts } = await run(file, { ...options, size });
      expect([values, counts]).toEqual([people, [2, 0]]);
    }
  });

  test("tells the sink where its rows stand", async () => {
    const { taken } = await run('name,age\n\n"A\nda",36\n,\nBob,');
    expect(taken).toEqual([
      { row: 1, line: 3, value: { name: "A\nda", age: 36 } },
      { row: 3, line: 6, value: { name: "Bob" } },
    ]);
  });

  test("may have no rows", async () => {
    expect((await run("name\n")).counts).toEqual([0, 0]);
    expect((await run("[ ]", { format: "json" })).counts).toEqual([0, 0]);
    expect((await run("\n \n", { format: "ndjson" })).counts).toEqual([0, 0]);
  });

  test("is handed on in chunks of at most 1,000 rows, one after the other, with word of each", async () => {
    const told: number[] = [];
    const sizes: number[] = [];
    let isWriting = false;
    await importRows(inParts(`name\n${"Ada\n".repeat(2_500)}`), {
      schema,
      sink: {
        async write(rows) {
          expect(isWriting).toBe(false);
          isWriting = true;
          await new Promise(setImmediate);
          sizes.push(rows.length);
          isWriting = false;
        },
      },
      onProgress: ({ imported }) => told.push(imported),
    });
    expect([Math.max(...sizes) <= 1_000, told.at(-1), sizes.reduce((sum, size) => sum + size)]).toEqual([true, 2_500, 2_500]);
  });
});

test("a date alone is the first instant of its day in the time zone that is given", async () => {
  const dated = z.object({ at: z.date() });
  const taken: Date[] = [];
  const sink = { write: async (rows: readonly ImportedRow<{ at: Date }>[]) => void taken.push(...rows.map(({ value }) => value.at)) };
  const file = "at\n2026-01-02\n2026-07-02\n2026-07-02T00:00:00Z\n";
  await importRows(inParts(file), { schema: dated, sink });
  await importRows(inParts(file), { schema: dated, sink, timeZone: "Europe/Berlin" });
  expect(taken.map((at) => at.toISOString())).toEqual([
    "2026-01-02T00:00:00.000Z",
    "2026-07-02T00:00:00.000Z",
    "2026-07-02T00:00:00.000Z",
    "2026-01-01T23:00:00.000Z",
    "2026-07-01T22:00:00.000Z",
    "2026-07-02T00:00:00.000Z",
  ]);
});

test("the fault of a row with too many cells counts also those that are not kept", async () => {
  const { errors } = await importRows(inParts(`name\n${"x,".repeat(5_000)}x\n`), {
    schema: z.object({ name: z.string() }),
    sink: { write: async () => {} },
  });
  expect(errors[0]).toMatchObject({ faults: [{ code: "ROW_WIDTH", detail: "The row has 5001 cells; the header has 1." }], width: 5_001 });
});

test("text that no store keeps is told of where it is in the JSON of a cell", async () => {
  const tagged = z.object({ tags: z.array(z.string()), any: z.json() });
  const file = 'tags,any\n"[""a"",""b\\u0000""]",1\na,"{""b"":""\\ud83d""}"\na,"{""b"":""\\ud83d\\ude00""}"\n';
  const { errors, imported } = await importRows(inParts(file), { schema: tagged, sink: { write: async () => {} } });
  expect(imported).toBe(1);
  expect(errors.map(({ faults }) => faults)).toEqual([
    [{ code: "VALIDATION_FAILED", detail: "Text must not contain NUL (U+0000).", field: "tags.1" }],
    [{ code: "VALIDATION_FAILED", detail: "Text must not contain half of a surrogate pair.", field: "any.b" }],
  ]);
});

describe("a row that cannot be taken", () => {
  test.each<[string, string, Options, unknown]>([
    [
      "too few and too many cells",
      "name,age\nAda\nBob,1,2\nEve,1",
      {},
      [
        [1, 2, "ROW_WIDTH"],
        [2, 3, "ROW_WIDTH"],
      ],
    ],
    ["what the schema refuses", "name,age,email\n,x,y", {}, [[1, 2, "VALIDATION_FAILED name", "VALIDATION_FAILED age", "VALIDATION_FAILED email"]]],
    ["NUL in a cell", "name\nA\0da", {}, [[1, 2, "VALIDATION_FAILED name"]]],
    ["half a line at the end", "name,age\nAda,36\nBo", {}, [[2, 3, "ROW_WIDTH"]]],
    ["no JSON", '{"name":"Ada"}\n{"name":', { format: "ndjson" }, [[2, 2, "MALFORMED_JSON"]]],
    ["no object", '[]\n1\nnull\n"x"', { format: "ndjson" }, [1, 2, 3, 4].map((row) => [row, row, "ROW_NOT_OBJECT"])],
    ["NaN", '{"name":"Ada","age":NaN}', { format: "ndjson" }, [[1, 1, "MALFORMED_JSON"]]],
    ["a number beyond binary64", '{"name":"Ada","age":1e999}', { format: "ndjson" }, [[1, 1, "MALFORMED_JSON age"]]],
    ["__proto__", '{"name":"Ada","__proto__":{"age":1}}', { format: "ndjson" }, [[1, 1, "MALFORMED_JSON __proto__"]]],
    ["__proto__ by a map", '{"name":"Ada","x":{"age":1}}', { format: "ndjson", map: { x: "__proto__" } }, [[1, 1, "VALIDATION_FAILED __proto__"]]],
    ["an unknown member", '{"name":"Ada","agee":1}', { format: "ndjson" }, [[1, 1, "VALIDATION_FAILED agee"]]],
    ["two members for one field", '{"name":"Ada","n":"Bob"}', { format: "ndjson", map: { n: "name" } }, [[1, 1, "VALIDATION_FAILED name"]]],
    ["NUL in JSON", '[{"name":"A\\u0000da"}]', { format: "json" }, [[1, 1, "VALIDATION_FAILED name"]]],
    ["NUL in the name of a member", '[{"na\\u0000me":"Ada"}]', { format: "json" }, [[1, 1, "VALIDATION_FAILED na\0me"]]],
    ["half a surrogate pair", '{"name":"\\ud83d"}\n{"name":"\\ud83d\\ude00"}', { format: "ndjson" }, [[1, 1, "VALIDATION_FAILED name"]]],
    ["what is nested too deeply", `{"name":${"[".repeat(70)}${"]".repeat(70)}}`, { format: "ndjson" }, [[1, 1, "MALFORMED_JSON"]]],
  ])("is told: %s", async (_, file, options, errors) => {
    const { errors: told, counts } = await run(file, options);
    expect(told?.map((error) => error.map((part) => (typeof part === "string" ? part.replace(/^(MALFORMED_JSON) name\..*/, "$1") : part)))).toEqual(
      errors,
    );
    expect(counts?.[1]).toBe((errors as unknown[]).length);
  });

  test("is told where the sink refuses it, in the order of the file", async () => {
    const refuse = ({ name }: Row): RowFault | undefined =>
      name === "Bob" ? { code: "DUPLICATE_NAME", detail: "Taken.", field: "name" } : undefined;
    const { counts, errors, values } = await run("name,age\nAda,\nBob,\n,\nEve,\nBob,", { refuse });
    expect([counts, values.map(({ name }) => name)]).toEqual([
      [2, 3],
      ["Ada", "Eve"],
    ]);
    expect(errors).toEqual([
      [2, 3, "DUPLICATE_NAME name"],
      [3, 4, "VALIDATION_FAILED name"],
      [5, 6, "DUPLICATE_NAME name"],
    ]);
  });

  test("ends the import where that is asked for, and says what came before", async () => {
    const rows = `name,age\n${"Ada,1\n".repeat(999)}`;
    const bad = await run(`${rows}Bob,x\n`, { onError: "stop" });
    expect([bad.values.length, bad.problem?.[0]]).toEqual([999, "IMPORT_REJECTED"]);
    expect(bad.problem?.[1]).toMatch(/^Row 1000 \(line 1001, column "age"\): .+\. 999 rows were imported\.$/);
    expect(bad.extensions).toEqual({ row: 1_000, line: 1_001 });
    const refused = await run("name\nAda\nBob\n", {
      onError: "stop",
      refuse: ({ name }) => (name === "Bob" ? { code: "CONFLICT", detail: "No." } : undefined),
    });
    expect(refused.problem).toEqual(["IMPORT_REJECTED", "Row 2 (line 3): No. One row was imported."]);
    expect((await run("name\nAda\n,\n", { onError: "stop" })).problem?.[1]).toMatch(/^Row 2 .+\. Nothing was imported\.$/);
  });

  test("ends the import where there are too many", async () => {
    const file = "name,age\nAda,1\nBob,x\nEve,x\n";
    expect((await run(file, { maxErrors: 2 })).counts).toEqual([1, 2]);
    const { problem, extensions } = await run(file, { maxErrors: 1 });
    expect(problem).toEqual(["TOO_MANY_ERRORS", "More than 1 rows failed; the import ended after row 3. One row was imported."]);
    expect(extensions).toEqual({ row: 3 });
  });

  test("is told up to the thousandth", async () => {
    let errors = 0;
    const write = async () => undefined;
    const summary = await importRows(inParts(`name\n${",\n".repeat(1_500)}`), {
      schema,
      sink: { write },
      onProgress: (so) => (errors = so.errors.length),
    });
    expect([summary.failed, summary.errors.length, errors]).toEqual([1_500, 1_000, 1_000]);
  });
});

describe("a file that cannot be read to its end", () => {
  test.each<[string, string | Uint8Array, Options, string, RegExp]>([
    ["nothing at all", "", {}, "EMPTY_FILE", /empty/],
    ["blank lines", "\n\r\n", {}, "EMPTY_FILE", /empty/],
    ["an unknown column", "name,agee\nAda,1", {}, "UNKNOWN_COLUMN", /"agee" \(column 2\).+"age"/],
    ["a missing column", "age\n1", {}, "MISSING_COLUMN", /"name"/],
    ["a repeated column", "name,Name\nA,B", {}, "REPEATED_COLUMN", /"name" and "Name"/],
    ["an open quote in the header", 'name,"age\n', {}, "QUOTE_NOT_CLOSED", /^Header, line 1: column 2 /],
    ["a quote in a cell of the header", 'na"me,age\n', {}, "BAD_QUOTE", /^Header, line 1: column 1 /],
    ["an open quote", 'name,age\nAda,1\n"Bob,2\nEve,3\n', {}, "QUOTE_NOT_CLOSED", /^Row 2, line 3: column 1 /],
    ["a bad quote", 'name,age\nAda,1\nBob,2"\n', {}, "BAD_QUOTE", /^Row 2, line 3: column 2 /],
    [
      "a row that is too long",
      `name,age\nAda,1\n${"x".repeat(2_000)},2\n`,
      { limits: { importRowBytes: 1_000 } },
      "ROW_TOO_LARGE",
      /^Row 2, line 3: .+1000 bytes/,
    ],
    ["too many columns", "name,a,b\n", { limits: { importColumns: 2 } }, "UNKNOWN_COLUMN", /3 columns; at most 2 are allowed/],
    ["bytes of gzip that nothing says", gzipSync("name\nAda\n"), {}, "INVALID_ENCODING", /compressed with gzip/],
    ["bytes that are no UTF-8", Buffer.from("name\nA\xe9da\n", "latin1"), {}, "INVALID_ENCODING", /^Line 2, after 6 bytes/],
    ["the wrong byte-order mark", utf16(csv), { charset: "utf-8" }, "INVALID_ENCODING", /utf-16le/],
    ["half a surrogate pair in UTF-16", Buffer.from("name\nA\ud83dB\n", "utf16le"), { charset: "utf-16le" }, "INVALID_ENCODING", /^Line 2/],
    ["no gzip", csv, { gzip: true }, "INVALID_COMPRESSION", /gzip/],
    ["half a gzip", gzipSync(csv).subarray(0, -9), { gzip: true }, "INVALID_COMPRESSION", /incomplete/],
    [
      "a gzip that holds too much",
      gzipSync(Buffer.alloc(1_000_000, "a")),
      { gzip: true, limits: { importBytes: 1_000 } },
      "IMPORT_TOO_LARGE",
      /1000 bytes/,
    ],
    ["JSON that is no array", '{"name":"Ada"}', { format: "json" }, "MALFORMED_JSON", /array/],
    ["a broken array", '[{"name":"Ada"},', { format: "json" }, "MALFORMED_JSON", /line 1/],
    [
      "an array that memory is too small for",
      `[{"name":"${"x".repeat(1_000)}"}]`,
      { format: "json", limits: { importArrayBytes: 500 } },
      "IMPORT_TOO_LARGE",
      /JSON Lines/,
    ],
  ])("has a problem: %s", async (_, file, options, code, detail) => {
    for (const size of [3, 65_536]) {
      const { problem } = await run(file, { ...options, size });
      expect(problem).toEqual([code, expect.stringMatching(detail)]);
    }
  });

  test("gives what stands before the fault", async () => {
    const { values } = await run('name,age\nAda,36\nBob,\n"x');
    expect(values).toEqual(people);
  });

  test.each<[string, Iterable<Uint8Array>, Options]>([
    ["a wrong header", repeat("nom,age\n", "Ada,1\n"), {}],
    ["a wrong row", repeat("name,age\nAda,x\n", "Ada,1\n".repeat(2_000)), { onError: "stop" }],
    [
      "a sink that throws",
      repeat("name,age\n", "Ada,1\n".repeat(2_000)),
      { sink: { write: () => Promise.reject(new TypeError("The sink is full.")) } },
    ],
    ["a quote that nobody closes", repeat('name,age\n"', "x".repeat(65_536)), {}],
    ["an endless header", repeat("name", ",".repeat(65_536)), {}],
    ["no gzip", repeat("name", "x".repeat(65_536)), { gzip: true }],
    ["no UTF-8", repeat("name\n\xff", Buffer.from([0xff])), {}],
    ["an endless array", repeat("[", `{"name":"${"x".repeat(65_536)}"},`), { format: "json" }],
  ])("lets go of its source at once: %s", async (_, parts, options) => {
    const source = new Endless(parts);
    await expect(importRows(source, { schema, sink: { write: async () => {} }, ...options })).rejects.toThrow();
    for (let tries = 0; !source.isClosed && tries < 10_000; tries++) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(source.isClosed).toBe(true);
    expect(source.bytes).toBeLessThan(options.format === "json" ? 12_000_000 : 2_000_000);
  });
});

describe("memory stays flat", () => {
  test("since a sink that waits makes the source wait", async () => {
    const source = new Endless(repeat("name,age\n", "Ada,1\n".repeat(1_000)));
    const controller = new AbortController();
    let go: () => void = () => {};
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    const importing = importRows(source, { schema, sink: { write: () => waiting }, signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(source.bytes).toBeLessThan(300_000);
    controller.abort(new Error("Enough."));
    go();
    await expect(importing).rejects.toThrow("Enough.");
    expect(source.isClosed).toBe(true);
  });

  test("since a line that is too long is not held", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage: () => void = runInNewContext("gc");
    // Buffers are freed a little later than they are found to be nobody's.
    const collect = async () => {
      for (let round = 0; round < 3; round++) {
        collectGarbage();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    let held = 0;
    async function* file() {
      yield Buffer.from('{"name":"');
      await collect();
      const before = process.memoryUsage().arrayBuffers;
      for (let part = 0; part < 400; part++) yield Buffer.alloc(65_536, "x");
      await collect();
      held = process.memoryUsage().arrayBuffers - before;
      yield Buffer.from('"}\n{"name":"Ada"}\n');
    }
    const { values, errors } = await run(file(), { format: "ndjson" });
    expect([values, errors]).toEqual([[{ name: "Ada" }], [[1, 1, "ROW_TOO_LARGE"]]]);
    expect(held).toBeLessThan(3_000_000);
  });
});
