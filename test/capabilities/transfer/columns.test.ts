import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compileColumns, type ImportTarget } from "../../../src/capabilities/transfer/import/columns/columns.js";
import { unescapeFormula } from "../../../src/language/csv/formula.js";
import { utcDay } from "../../../src/language/query/values/day.js";
import { introspectObject } from "../../../src/language/schema/introspect.js";
import { problemIn } from "./formats/files.js";

const schema = z.object({
  name: z.string(),
  email: z.string().optional(),
  age: z.int().nullable().optional(),
  note: z.string().nullable().optional(),
  tags: z.array(z.string()).optional(),
  Rank: z.int().optional(),
  rank: z.int().optional(),
  address: z.object({ city: z.string(), zip: z.string().nullable().optional(), geo: z.object({ lat: z.number() }).optional() }).optional(),
  "=sum": z.string().optional(),
  constructor: z.object({ keys: z.string().optional() }).optional(),
});

const fields = introspectObject(schema);

const target: ImportTarget = {
  fields,
  required: ["name"],
  refuse(name) {
    if (name === "salary") return { code: "FORBIDDEN_FIELD", detail: `Not allowed to write "salary".` };
    return name === "id" ? { code: "UNKNOWN_COLUMN", detail: `The column "id" is set by the server.` } : undefined;
  },
};

interface Options {
  readonly map?: Readonly<Record<string, string>>;
  readonly unknownColumns?: "error" | "ignore";
  readonly of?: Partial<ImportTarget>;
}

const compile = (header: readonly string[], { map = {}, unknownColumns = "error", of = {} }: Options = {}) =>
  compileColumns(header, { ...target, ...of }, { map, unknownColumns }, utcDay);

const problemsOf = async (header: readonly string[], options?: Options) => {
  const problem = await problemIn(async () => compile(header, options));
  return { status: problem?.status, errors: problem?.errors.map(({ code, detail }) => `${code} ${detail}`) };
};

describe("a column is the field", () => {
  test.each<[string, readonly string[], Options, readonly string[], unknown]>([
    ["of its name", ["name", "age"], {}, ["Ada", "36"], { name: "Ada", age: 36 }],
    ["of its name in other letters", ["NAME", "Age"], {}, ["Ada", "36"], { name: "Ada", age: 36 }],
    ["of exactly its name where two differ by case", ["name", "rank", "Rank"], {}, ["Ada", "1", "2"], { name: "Ada", rank: 1, Rank: 2 }],
    ["that it is mapped to", ["Full name"], { map: { "Full name": "name" } }, ["Ada"], { name: "Ada" }],
    [
      "that it is mapped to, whatever its own name says",
      ["name", "email"],
      { map: { name: "email", email: "name" } },
      ["a@b", "Ada"],
      { name: "Ada", email: "a@b" },
    ],
    [
      "at any depth",
      ["name", "address.city", "Address.Geo.LAT"],
      {},
      ["Ada", "Bath", "1.5"],
      { name: "Ada", address: { city: "Bath", geo: { lat: 1.5 } } },
    ],
    ["as one cell of JSON", ["name", "address"], {}, ["Ada", '{"city":"Bath"}'], { name: "Ada", address: { city: "Bath" } }],
    [
      "that stands in a report of errors",
      ["name", "_row", "_line", "_code", "_field", "_message"],
      {},
      ["Ada", "1", "2", "X", "y", "z"],
      { name: "Ada" },
    ],
    ["or nothing where that is asked for", ["name", "shoe", "__proto__", ""], { unknownColumns: "ignore" }, ["Ada", "7", "{}", "x"], { name: "Ada" }],
    ["also where its name is one of JavaScript's", ["name", "constructor.keys"], {}, ["Ada", "x"], { name: "Ada", constructor: { keys: "x" } }],
  ])("%s", (_, header, options, cells, expected) => {
    expect(compile(header, options)(cells, undefined)).toEqual(expected);
  });

  test("also where its name was protected as a formula", () => {
    const read = compileColumns(["name", "'=sum"], target, { map: {}, unknownColumns: "error" }, utcDay, unescapeFormula);
    expect(read(["'=1", "'+x"], undefined)).toEqual({ name: "=1", "=sum": "+x" });
    expect(Object.keys(Object)).toEqual([]);
  });
});

describe("a cell that is empty", () => {
  const empty = new Set([1]);

  test.each<[string, string, ReadonlySet<number> | undefined, unknown]>([
    ["says nothing of what may not be null", "email", undefined, {}],
    ["is the empty text in quotes", "email", empty, { email: "" }],
    ["is null where that may be", "age", undefined, { age: null }],
    ["in quotes is null where it can be no text", "age", empty, { age: null }],
    ["is null for a text that may be", "note", undefined, { note: null }],
    ["in quotes is the empty text where that could be null", "note", empty, { note: "" }],
    ["says nothing of an array", "tags", empty, {}],
  ])("%s", (_, column, quotedEmpty, expected) => {
    expect(compile(["name", column])(["Ada", ""], quotedEmpty)).toEqual({ name: "Ada", ...(expected as object) });
  });

  test("makes no object, and is null beside members that say something", () => {
    const read = compile(["name", "address.city", "address.zip"]);
    expect(read(["Ada", "", ""], undefined)).toEqual({ name: "Ada" });
    expect(read(["Ada", "Bath", ""], undefined)).toEqual({ name: "Ada", address: { city: "Bath", zip: null } });
    expect(read(["Ada", "", ""], new Set([2]))).toEqual({ name: "Ada", address: { zip: "" } });
  });
});

describe("a required object whose cells are all empty", () => {
  const point = z.object({ lat: z.number().nullable(), unit: z.string().optional() });
  const read = (schema: z.ZodObject, header: readonly string[], cells: readonly string[], isPartial = false) =>
    compileColumns(
      header,
      { fields: introspectObject(schema), required: [], isPartial, refuse: () => undefined },
      { map: {}, unknownColumns: "error" },
      utcDay,
    )(cells, undefined);

  test.each<[string, z.ZodType, unknown]>([
    ["has null for what may be null", point, { lat: null }],
    ["is left out if it may be missing", point.optional(), undefined],
    ["is left out if it may be null", point.nullable(), undefined],
    ["is left out if it has a default", point.default({ lat: 1 }), undefined],
  ])("%s", (_, schema, expected) => {
    const of = z.object({ at: schema });
    for (const isPartial of [false, true]) expect(read(of, ["at.lat", "at.unit"], ["", ""], isPartial)["at"]).toEqual(expected);
    expect(read(of, ["at.lat", "at.unit"], ["1", ""])).toEqual({ at: { lat: 1 } });
  });

  test("is empty if none of its members may be null, so that the fault names the member", () => {
    expect(read(z.object({ at: z.object({ lat: z.number() }) }), ["at.lat"], [""])).toEqual({ at: {} });
  });

  test("is there below an object that is there", () => {
    const required = z.object({ place: z.object({ name: z.string().nullable(), at: point }) });
    expect(read(required, ["place.name", "place.at.lat"], ["", ""])).toEqual({ place: { name: null, at: { lat: null } } });
    const optional = z.object({ place: z.object({ name: z.string(), at: point }).optional() });
    expect(read(optional, ["place.name", "place.at.lat"], ["", ""])).toEqual({});
    expect(read(optional, ["place.name", "place.at.lat"], ["Bath", ""])).toEqual({ place: { name: "Bath", at: { lat: null } } });
  });
});

describe("a header is refused for", () => {
  test.each<[string, readonly string[], Options, number, readonly string[]]>([
    ["a column that is missing", ["email"], {}, 422, [`MISSING_COLUMN The required column "name" is missing.`]],
    ["a column of a required member", ["name", "address.zip"], {}, 422, [`MISSING_COLUMN The required column "address.city" is missing.`]],
    ["a column that is unknown", ["name", "emial"], {}, 422, [`UNKNOWN_COLUMN Unknown column "emial" (column 2). Did you mean "email"?`]],
    [
      "names that another character separates",
      ["name;email"],
      {},
      422,
      [`UNKNOWN_COLUMN Unknown column "name;email" (column 1). Did you mean "delimiter=;"?`, `MISSING_COLUMN The required column "name" is missing.`],
    ],
    ["a column without a name", ["name", ""], {}, 422, ["UNKNOWN_COLUMN Column 2 has no name."]],
    [
      "a line that tells a spreadsheet the delimiter",
      ["SEP=", ""],
      {},
      422,
      [
        'UNKNOWN_COLUMN Remove the line "SEP=" before the header.',
        "UNKNOWN_COLUMN Column 2 has no name.",
        `MISSING_COLUMN The required column "name" is missing.`,
      ],
    ],
    [
      "such a line with another delimiter",
      ["sep=;"],
      {},
      422,
      ['UNKNOWN_COLUMN Remove the line "sep=;" before the header.', `MISSING_COLUMN The required column "name" is missing.`],
    ],
    ["a column of nobody's", ["name", "__proto__"], {}, 422, [`UNKNOWN_COLUMN Unknown column "__proto__" (column 2).`]],
    ["a column that two fields could be", ["name", "RANK"], {}, 422, [`UNKNOWN_COLUMN Unknown column "RANK" (column 2). Did you mean "Rank"?`]],
    ["a column that is there twice", ["name", "Name"], {}, 422, [`REPEATED_COLUMN The columns "name" and "Name" set the same field.`]],
    [
      "an object and its member",
      ["name", "address.city", "address"],
      {},
      422,
      [`REPEATED_COLUMN The columns "address.city" and "address" set the same field.`],
    ],
    [
      "a member and its object, of which the first is told",
      ["name", "address", "address.geo.lat"],
      {},
      422,
      [`REPEATED_COLUMN The columns "address" and "address.geo.lat" set the same field.`],
    ],
    [
      "an object behind two of its members, of which the first is told",
      ["name", "address.zip", "address.city", "address"],
      {},
      422,
      [`REPEATED_COLUMN The columns "address.zip" and "address" set the same field.`],
    ],
    [
      "two columns of one by a map",
      ["name", "Mail", "email"],
      { map: { Mail: "email" } },
      422,
      [`REPEATED_COLUMN The columns "Mail" and "email" set the same field.`],
    ],
    ["a map of no column", ["name"], { map: { Mail: "email" } }, 422, [`MISSING_COLUMN The column "Mail" of "map" is missing in the file.`]],
    [
      "a map to no field, whatever is ignored",
      ["name", "Mail"],
      { map: { Mail: "emial" }, unknownColumns: "ignore" },
      422,
      [`UNKNOWN_COLUMN The column "Mail" is mapped to "emial", which is not a field. Did you mean "email"?`],
    ],
    ["what the server sets", ["name", "id"], {}, 422, [`UNKNOWN_COLUMN The column "id" is set by the server.`]],
    ["what may not be written", ["name", "salary"], {}, 403, [`FORBIDDEN_FIELD Not allowed to write "salary".`]],
    [
      "what may not be written, whatever is ignored",
      ["name", "salary"],
      { unknownColumns: "ignore" },
      403,
      [`FORBIDDEN_FIELD Not allowed to write "salary".`],
    ],
    [
      "all of it at once",
      ["emial", "salary", "Name", "name"],
      { of: { required: ["email"] } },
      422,
      [
        `UNKNOWN_COLUMN Unknown column "emial" (column 1). Did you mean "email"?`,
        `FORBIDDEN_FIELD Not allowed to write "salary".`,
        `REPEATED_COLUMN The columns "Name" and "name" set the same field.`,
        `MISSING_COLUMN The required column "email" is missing.`,
      ],
    ],
  ])("%s", async (_, header, options, status, errors) => {
    expect(await problemsOf(header, options)).toEqual({ status, errors });
  });

  test("columns that nobody knows, all of them counted and the first twenty listed", async () => {
    const problem = await problemIn(async () => compile(["name", ...Array.from({ length: 30 }, (_, index) => `emai${index}`)]));
    expect(problem?.message).toBe("30 problems were found.");
    expect(problem?.errors).toHaveLength(20);
    expect(problem?.errors.at(-1)?.detail).toBe('Unknown column "emai19" (column 21). Did you mean "email"?');
  });

  test("nothing where rows change only some members of an object", async () => {
    expect(await problemsOf(["address.zip"], { of: { required: [], isPartial: true } })).toEqual({ status: undefined, errors: undefined });
  });

  test("no more than an answer can say", async () => {
    const { errors } = await problemsOf(Array.from({ length: 1_000 }, (_, index) => `x${index}`));
    expect(errors).toHaveLength(20);
  });
});
