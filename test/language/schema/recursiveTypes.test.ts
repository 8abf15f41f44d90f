import { defineResource } from "restwright";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ConfigurationError } from "../../../src/ground/problem/index.js";
import { declaredPart } from "../../../src/language/schema/declared.js";
import { introspect } from "../../../src/language/schema/introspect.js";
import { inputConverter } from "../../../src/language/schema/wire.js";

type Tree = { readonly [name: string]: Tree } | readonly Tree[] | string | number;
const tree: z.ZodType<Tree> = z.lazy(() => z.union([z.string(), z.number(), z.array(tree), z.record(z.string(), tree)]));
const closed = z.object({
  name: z.string(),
  get children() {
    return z.array(closed).optional();
  },
});

describe("values of recursive types", () => {
  // Each part would be tried as each alternative of its union: a list of 100 rows with 10,000 numbers held the event loop for two seconds.
  test.each([
    ["z.json()", z.json()],
    ["z.json() with a default", z.json().default(null)],
    ["a record of z.json()", z.record(z.string(), z.json())],
    ["a union of one's own", tree],
    ["an object of it", z.looseObject({ tree })],
  ])("are not walked where nothing of them changes: %s", (_, type) => {
    const field = introspect("data", type);
    expect(declaredPart(field)).toBeUndefined();
    expect(inputConverter(field)).toBeUndefined();
  });

  test("have types that are made once", () => {
    let made = 0;
    const list: z.ZodType = z.lazy(() => {
      made += 1;
      return z.union([z.string(), z.array(list)]);
    });
    declaredPart(introspect("data", list));
    expect(made).toBe(1);
  });

  const node = (): z.ZodType =>
    z.object({
      get child(): z.ZodType {
        return node().optional();
      },
    });
  const list = (): z.ZodType => z.lazy(() => z.array(list()));
  test.each([
    ["members", node],
    ["z.lazy()", list],
  ])("are refused where %s make a new type each time, which has no end", (_, type) => {
    const define = () => defineResource("trees", { schema: z.object({ id: z.string(), tree: type() }) });
    expect(define).toThrow(
      new ConfigurationError(
        '"tree" has more than 10,000 types: a getter or z.lazy() that makes a new type each time has no end. Make the type once, and return it there.',
      ),
    );
  });

  test("are walked where an object has members that nothing declares", () => {
    const declared = declaredPart(introspect("data", closed));
    const leaf = { name: "leaf", legacy: 1 };
    const deep = Array.from({ length: 12 }).reduce<object>((inner) => ({ name: "node", children: [inner] }), leaf);
    expect(JSON.stringify(declared?.(deep))).toBe(JSON.stringify(deep).replace(',"legacy":1', ""));
  });
});
