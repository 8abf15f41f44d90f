import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileEventPatterns, matchEvent } from "../../../../src/capabilities/events/matchEvent.js";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { cpuMsSince } from "../../../tools/cpuMs.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { thrownBy } from "../thrown.js";

describe("an event pattern", () => {
  test.each([
    ["order.created", "order.created", true],
    ["order.created", "order.creates", false],
    ["order.created", "Order.created", false],
    ["order", "order", true],
    ["order", "order.created", false],
    ["*", "order", true],
    ["*", "order.item.added", true],
    ["order.*", "order.created", true],
    ["order.*", "order.item.added", true],
    ["order.*", "order", false],
    ["order.*", "orders.created", false],
    ["order.*", "orders", false],
    ["order.*", "my.order.created", false],
    ["order.item.*", "order.item.line.added", true],
    ["order.item.*", "order.item", false],
    ["order.*.added", "order.item.added", true],
    ["order.*.added", "order.added", false],
    ["order.*.added", "order.item.line.added", false],
    ["order.*.added", "order.item.removed", false],
    ["*.created", "order.created", true],
    ["*.created", "created", false],
    ["*.created", "shop.order.created", false],
    ["*.*", "order", false],
    ["*.*", "order.created", true],
    ["*.*", "shop.order.created", true],
    ["*.order.*", "shop.order.created", true],
    ["*.order.*", "shop.order", false],
    ["order.*.*", "order.created", false],
    ["order.*.*", "order.item.added", true],
    ["A_1.b_2", "A_1.b_2", true],
  ])("%s and the type %s: %j", (pattern, type, expected) => {
    expect(matchEvent(pattern, type)).toBe(expected);
    expect(compileEventPatterns([pattern])(type)).toBe(expected);
    expect(compileEventPatterns(["nothing.of.this", pattern, "nothing.*.that"])(type)).toBe(expected);
  });

  test.each([
    "",
    ".",
    "order.",
    ".order",
    "order..created",
    "order.cre*",
    "**",
    "order.**",
    "order-created",
    "order created",
    "order.*\n",
    "ördér",
    "a".repeat(257),
  ])("is not %j", (pattern) => {
    expect(thrownBy(() => matchEvent(pattern, "order.created"))).toMatchObject({ code: "VALIDATION_FAILED", status: 422 });
    expect(thrownBy(() => compileEventPatterns(["order.*", pattern]))).toMatchObject({
      errors: [{ code: "VALIDATION_FAILED", pointer: "/events/1" }],
    });
  });

  test("matches what the same pattern as a regular expression matches", () => {
    const segment = fc.constantFrom("a", "b", "ab");
    const pattern = fc.array(fc.oneof(segment, fc.constant("*")), { minLength: 1, maxLength: 5 });
    const type = fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => segments.join("."));
    const expressionOf = (segments: readonly string[]) => {
      const last = segments.length - 1;
      const texts = segments.map((each, index) => (each !== "*" ? each : index === last ? ".+" : "[^.]+"));
      return new RegExp(`^${texts.join("\\.")}$`);
    };
    fc.assert(
      fc.property(pattern, type, (segments, name) => {
        expect(matchEvent(segments.join("."), name)).toBe(expressionOf(segments).test(name));
      }),
      { seed: 4, numRuns: propertyRuns(500) },
    );
  });

  test("of any text throws nothing but a problem, or that a type is none, and soon", () => {
    const started = process.cpuUsage();
    expect(thrownBy(() => matchEvent("*.".repeat(500_000), "a.".repeat(500_000)))).toBeInstanceOf(ProblemError);
    expect(thrownBy(() => matchEvent("*.*.*.*.b", "a.".repeat(500_000)))).toBeInstanceOf(TypeError);
    expect(cpuMsSince(started)).toBeLessThan(2_000);
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, type) => {
        const error = thrownBy(() => matchEvent(pattern, type));
        return error === undefined || error instanceof ProblemError || (error instanceof TypeError && error.message.startsWith('"type"'));
      }),
      { seed: 5 },
    );
  });
});

describe("the patterns of a webhook", () => {
  test("match when one of them does", () => {
    const wants = compileEventPatterns(["order.created", "user.*"]);
    expect(["order.created", "order.deleted", "user.created", "user"].map(wants)).toEqual([true, false, true, false]);
  });

  test.each([
    ["none", []],
    ["more than 100", Array.from({ length: 101 }, (_, index) => `order.n${index}`)],
    ["no list", "order.*" as unknown as string[]],
  ])("are refused when they are %s", (_what, patterns) => {
    expect(thrownBy(() => compileEventPatterns(patterns))).toMatchObject({ code: "VALIDATION_FAILED", errors: [{ pointer: "/events" }] });
  });

  test("may be 100, and hold one twice", () => {
    expect(compileEventPatterns(Array.from({ length: 100 }, () => "order.*"))("order.created")).toBe(true);
  });

  test("are refused where no known type matches, with the types that there are", () => {
    const known = ["order.created", "order.item.added"];
    expect(compileEventPatterns(["*", "order.*", "*.created", "order.item.added"], { known })("order.created")).toBe(true);
    const error = thrownBy(() => compileEventPatterns(["order.*", "orders.*", "user.created"], { known }));
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      code: "UNKNOWN_EVENT",
      status: 422,
      errors: [
        {
          code: "UNKNOWN_EVENT",
          pointer: "/events/1",
          allowed: known,
          detail: `No event matches "orders.*"; known: order.created, order.item.added.`,
        },
        { code: "UNKNOWN_EVENT", pointer: "/events/2", allowed: known },
      ],
    });
    expect(thrownBy(() => compileEventPatterns(["user.created", "no pattern"], { known }))).toMatchObject({ code: "VALIDATION_FAILED" });
  });

  test("are refused in a message that stays short however many types there are", () => {
    const known = Array.from({ length: 1_000 }, (_, index) => `order.n${index}`);
    const { message } = thrownBy(() => compileEventPatterns(["user.*"], { known })) as ProblemError;
    expect(message).toContain("order.n19, ….");
    expect(message.length).toBeLessThan(400);
  });
});
