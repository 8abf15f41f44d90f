import { createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const define = (field: z.ZodType) => defineResource("things", { schema: z.object({ id: z.int(), field }), generated: { id: "increment" } });

/** A service with one field, and what it answers. */
function stage(field: z.ZodType) {
  const service = createService({ resources: [define(field)], storage: memoryStorage(), logger: false });
  return async (method: string, path: string, value: unknown, type = "application/json") => {
    const init = { method, headers: { "content-type": type }, body: JSON.stringify({ field: value }) };
    const response = await service.fetch(new Request(`http://host.test${path}`, init));
    return { status: response.status, body: (await response.json()) as { id?: number; field?: unknown; errors?: object[] } };
  };
}

test.each<[string, z.ZodType]>([
  ["z.json()", z.json()],
  ["z.any()", z.any()],
  ["z.unknown()", z.unknown()],
  ["z.literal() with null", z.literal(["x", null])],
  ["z.union() with null", z.union([z.string(), z.null()])],
])("%s: null is a value that is shown and can be sent back", async (_, field) => {
  const send = stage(field);
  expect(await send("POST", "/things", null)).toEqual({ status: 201, body: { id: 1, field: null } });
  expect((await send("PUT", "/things/1", null)).status).toBe(200);
  await send("PUT", "/things/1", "x");
  expect(await send("PATCH", "/things/1", null, "application/merge-patch+json")).toEqual({ status: 200, body: { id: 1, field: null } });
});

describe("Types that cannot work are errors at the start", () => {
  test.each<[string, z.ZodType]>([
    ["map", z.map(z.string(), z.int())],
    ["set", z.set(z.int()).optional()],
    ["file", z.file()],
    ["nan", z.nan()],
  ])("%s", (type, field) => {
    expect(() => define(field)).toThrow(`"field" cannot be of type "${type}", which JSON does not have.`);
  });

  test.each<[string, z.ZodType, string]>([
    ["stringbool", z.stringbool(), "makes boolean"],
    ["a pipe", z.string().pipe(z.coerce.number()), "makes number"],
    ["a pipe behind a transform", z.string().transform(Number).pipe(z.int()), "makes int"],
    ["a codec", z.codec(z.string(), z.date(), { decode: (text) => new Date(text), encode: String }), "makes datetime"],
  ])("%s", (_, field, message) => {
    expect(() => define(field)).toThrow(`things: the transform of "field" ${message}, but its column holds text.`);
  });

  test.each<[string, z.ZodType]>([
    ["preprocess", z.preprocess(Number, z.int())],
    ["a pipe of one type", z.string().trim().pipe(z.email())],
    ["numbers", z.number().pipe(z.int())],
    ["a transform back to the type", z.string().transform(Number).pipe(z.int()).transform(String)],
    ["a pipe back to the type", z.string().transform(Number).pipe(z.int()).transform(String).pipe(z.string())],
    ["preprocess of a type that refers to itself", treeOf()],
    ["a codec of date-times", z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() })],
  ])("%s works", (_, field) => {
    expect(() => define(field)).not.toThrow();
  });
});

function treeOf(): z.ZodType {
  const node: z.ZodType = z.object({
    name: z.string(),
    child: z
      .preprocess(
        (value) => value,
        z.lazy(() => node),
      )
      .optional(),
  });
  return node;
}

test("z.nonoptional() takes optional away", () => {
  expect(define(z.nonoptional(z.string().optional())).fields.get("field")?.optional).toBe(false);
});

/** A type inside of this many objects. */
function inside(type: z.ZodType, levels: number): z.ZodType {
  return levels === 0 ? type : z.object({ inner: inside(type, levels - 1) });
}

interface Node {
  readonly next?: Node | undefined;
  readonly odd?: unknown;
}
const node: z.ZodType<Node> = z.lazy(() => z.object({ next: node.optional(), odd: inside(z.nan(), 4).optional() }));

test.each<[string, z.ZodType]>([
  ["seven objects", inside(z.map(z.string(), z.string()), 7)],
  ["twenty objects, arrays and unions", inside(z.array(z.union([z.string(), inside(z.nan(), 10)])), 10)],
  ["a recursive type", inside(node, 5)],
])("a type that no field can have is an error of the definition inside of %s", (_, type) => {
  expect(() => define(type)).toThrow(/"field" cannot be of type "(?:map|nan)", which JSON does not have\./);
});
