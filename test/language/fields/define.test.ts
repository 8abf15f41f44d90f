import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defaultLimits } from "../../../src/ground/limits/limits.js";
import { ConfigurationError } from "../../../src/ground/problem/index.js";
import { defineFields, ProblemError, selectFields } from "../../../src/language/fields/index.js";

const schema = z.object({
  id: z.int(),
  name: z.string(),
  bio: z.string(),
  nick: z.string().nullable().optional(),
  born: z.date(),
  followers: z.bigint(),
  address: z.object({ city: z.string(), zip: z.string(), geo: z.object({ lat: z.number(), lon: z.number() }) }),
  posts: z.array(z.object({ id: z.int(), title: z.string() })),
});

const user: z.output<typeof schema> = {
  id: 1,
  name: "Ada",
  bio: "…",
  nick: null,
  born: new Date("1815-12-10T00:00:00Z"),
  followers: 3n,
  address: { city: "London", zip: "W1", geo: { lat: 51.5, lon: -0.1 } },
  posts: [{ id: 1, title: "Notes" }],
};

function refusal(run: () => unknown): ProblemError {
  try {
    run();
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}

describe("selectFields", () => {
  test("picks what a text names, values as they are", () => {
    expect(selectFields(schema, "id,address{city,geo.lat}")(user)).toEqual({ id: 1, address: { city: "London", geo: { lat: 51.5 } } });
    expect(selectFields(schema, "born,followers,posts.title")(user)).toEqual({ born: user.born, followers: 3n, posts: [{ title: "Notes" }] });
  });

  test("knows heavy fields", () => {
    expect(selectFields(schema, "*,-posts,-address,-born,-followers", { heavy: ["bio"] })(user)).toEqual({ id: 1, name: "Ada", nick: null });
  });

  test("refuses what a server refuses, with every fault", () => {
    const text: string = "nmae,adress.city";
    const { status, code, errors } = refusal(() => selectFields(schema, text));
    expect([status, code]).toEqual([400, "MALFORMED_QUERY"]);
    expect(errors).toEqual([
      { code: "UNKNOWN_FIELD", detail: 'Unknown field "nmae" in "fields". Did you mean "name"?', parameter: "fields", hint: 'did you mean "name"' },
      {
        code: "UNKNOWN_FIELD",
        detail: 'Unknown field "adress" in "fields". Did you mean "address"?',
        parameter: "fields",
        hint: 'did you mean "address"',
      },
    ]);
  });
});

describe("defineFields", () => {
  const userFields = defineFields(schema, { heavy: ["bio"], compact: ["id", "name"] });

  test("shows the compact fields where nothing is chosen", () => {
    expect(userFields.select({})(user)).toEqual({ id: 1, name: "Ada" });
    expect(userFields.select({ exclude: "id" })(user)).toEqual({ name: "Ada" });
    expect(defineFields(schema, { heavy: ["bio"] }).select({})(user)).toEqual({ ...user, bio: undefined });
  });

  test("parses once and picks often", () => {
    const selection = userFields.parse({ fields: "id,name,posts{-id}", exclude: "name" });
    expect(selection.canonical).toBe("id,posts{*,-id}");
    expect([...(selection.fields?.keys() ?? [])]).toEqual(["id", "posts"]);
    expect([user, user].map(userFields.select(selection))).toEqual(Array(2).fill({ id: 1, posts: [{ title: "Notes" }] }));
  });

  test.each([
    [{ fields: "" }, "EMPTY_SELECTION"],
    [{ fields: "id", exclude: "id" }, "EMPTY_SELECTION"],
    [{ exclude: "id,name" }, "EMPTY_SELECTION"],
    [{ exclude: "" }, "EMPTY_VALUE"],
    [{ fields: "id{" }, "INVALID_VALUE"],
    [{ fields: Array(101).fill("id").join(",") }, "QUERY_TOO_COMPLEX"],
    [{ fields: "address.geo.lat.x.y.z" }, "QUERY_TOO_COMPLEX"],
  ])("refuses %j", (request, code) => {
    expect(refusal(() => userFields.parse(request))).toMatchObject({ status: 400, code });
  });

  test("has the limits of the service, unless told otherwise", () => {
    const texts = (fields: number) => Array(fields).fill("id").join(",");
    expect(userFields.parse(texts(defaultLimits.fields)).canonical).toBe("id");
    expect(defineFields(schema, { limits: { fields: 200 } }).parse(texts(150)).canonical).toBe("id");
    expect(refusal(() => defineFields(schema, { limits: { fieldsDepth: 1 } }).parse("address.geo.lat")).code).toBe("QUERY_TOO_COMPLEX");
  });

  test("refuses options that name no field", () => {
    const wrong = { heavy: ["boi"] } as unknown as { readonly heavy: readonly ["bio"] };
    expect(() => defineFields(schema, wrong)).toThrow(ConfigurationError);
    expect(() => defineFields(schema, wrong)).toThrow('Unknown field "boi"; the schema has: id, name, bio,');
  });

  test("throws nothing but ProblemError, whatever the text", () => {
    const part = fc.constantFrom("id", "name", "address", "city", "posts", "title", "x", ",", ".", "{", "}", "*", "-", " ");
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join("")),
        fc.option(fc.string(), { nil: undefined }),
        (fields, exclude) => {
          try {
            expect(Object.keys(userFields.select({ fields, exclude })(user))).not.toEqual([]);
          } catch (error) {
            expect(error).toBeInstanceOf(ProblemError);
          }
        },
      ),
    );
  });
});
