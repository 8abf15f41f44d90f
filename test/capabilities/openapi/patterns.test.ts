import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { beyondBounds } from "../../../src/engine/description/schemas/bigintSchema.js";
import { portablePattern } from "../../../src/engine/description/schemas/portablePattern.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

describe("a pattern in the form of JSON Schema", () => {
  test.each<[RegExp, string | undefined]>([
    [/^x\d+$/, "^x\\d+$"],
    [/^\p{L}+$/u, "^\\p{L}+$"],
    [/^a+$/i, "^[aA]+$"],
    [/[a-f0-9]x-y/i, "[a-fA-F0-9][xX]-[yY]"],
    [/[\]a]é/i, "[\\]aA][éÉ]"],
    [/x(?=Y)(?<!z)(?<name>a)/i, "[xX](?=[yY])(?<![zZ])(?<name>[aA])"],
    [/a.b[.]/s, "a[\\s\\S]b[.]"],
    // Without `u` these are allowed.
    [/^\d{3}-\d{2}#$/, "^\\d{3}-\\d{2}#$"],
    [/[\w\-.]+@/, "[\\w\\-.]+@"],
    [/a]b{c}/, "a\\]b\\{c\\}"],
    // There is no other form of these.
    [/\u00e9/i, undefined],
    [/(a)\1/i, undefined],
    [/[A-z]/i, undefined],
    [/[ä-ü]/i, undefined],
    [/^a$/m, undefined],
    [/a/y, undefined],
  ])("%s is %j", (expression, expected) => {
    expect(portablePattern(expression)).toBe(expected);
  });

  test.each([/^[a-c]+-x?$/i, /^(?:ab|C)*.$/is, /^[^A-B-]{1,3}$/i, /^\w[b\]]\.?$/])("matches what %s matches", (expression) => {
    const written = new RegExp(portablePattern(expression) ?? "", "u");
    const letters = fc.string({ unit: fc.constantFrom(..."abcxABCX-.]\n "), maxLength: 6 });
    fc.assert(
      fc.property(letters, (text) => {
        expect(written.test(text)).toBe(expression.test(text));
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });
});

describe("the texts beyond the bounds of a bigint", () => {
  const [min64, max64] = [-(2n ** 63n), 2n ** 63n - 1n];
  const beyond = (type: z.ZodBigInt) => {
    const { pattern } = beyondBounds(type._zod.def.checks, type._zod.def as never);
    const expression = new RegExp(pattern, "u");
    return (value: bigint) => expression.test(String(value));
  };

  test.each<[string, z.ZodBigInt, bigint, bigint]>([
    ["64 bits", z.bigint(), min64, max64],
    ["z.int64()", z.int64(), min64, max64],
    ["z.uint64()", z.uint64(), 0n, max64],
    ["positive", z.bigint().positive(), 1n, max64],
    ["negative", z.bigint().negative(), min64, -1n],
    ["a range", z.bigint().min(-40n).lt(1000n), -40n, 999n],
    ["a range above 0", z.bigint().gt(109n).max(2_090n), 110n, 2_090n],
    ["a range below 0", z.bigint().min(-2_090n).max(-110n), -2_090n, -110n],
    ["wider than 64 bits", z.bigint().max(2n ** 70n), min64, max64],
  ])("%s", (_, type, min, max) => {
    const isBeyond = beyond(type);
    const edges = [min - 1n, min, max, max + 1n, min64 - 1n, max64 + 1n, 0n];
    for (const value of edges) expect(isBeyond(value), String(value)).toBe(value < min || value > max);
    const around = fc.oneof(
      ...edges.map((edge) => fc.bigInt({ min: edge - 2_000n, max: edge + 2_000n })),
      fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }),
    );
    fc.assert(
      fc.property(around, (value) => {
        expect(isBeyond(value), String(value)).toBe(value < min || value > max);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });
});
