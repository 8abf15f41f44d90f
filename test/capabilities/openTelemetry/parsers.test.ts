import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { loadApi } from "../../../src/capabilities/openTelemetry/api.js";
import { exceptionOf } from "../../../src/capabilities/openTelemetry/exception.js";
import { redactQuery } from "../../../src/capabilities/openTelemetry/redact.js";
import { formatTrace, linksTo } from "../../../src/capabilities/openTelemetry/traceText.js";

beforeAll(loadApi);

const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => /[^0]/.test(text));

describe("redactQuery", () => {
  const secret = new Set(["sig", "key"]);
  test.each([
    ["", ""],
    ["a=1&b=2", "a=1&b=2"],
    ["sig=ab", "sig=REDACTED"],
    ["sig=", "sig=REDACTED"],
    ["sig", "sig"],
    ["Sig=ab", "Sig=ab"],
    ["a=1&sig=ab=cd&sig=ef", "a=1&sig=REDACTED&sig=REDACTED"],
    ["%73ig=ab", "%73ig=REDACTED"],
    ["%zz=1&sig=ab", "%zz=1&sig=REDACTED"],
  ])("%s becomes %s", (query, expected) => {
    expect(redactQuery(query, secret)).toBe(expected);
  });

  test("never shows the value of a secret parameter, whatever is around it", () => {
    const name = fc.constantFrom("sig", "key", "%73ig", "k%65y");
    fc.assert(
      fc.property(fc.webQueryParameters(), name, fc.webQueryParameters(), (before, secretName, after) => {
        expect(redactQuery(`${before}&${secretName}=TOP-SECRET&${after}`, secret)).not.toContain("TOP-SECRET");
      }),
    );
  });
});

describe("the text of a trace", () => {
  test("is read as it was written", () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 255 }), (traceId, spanId, traceFlags) => {
        const context = { traceId, spanId, traceFlags };
        const text = formatTrace({ spanContext: () => context } as Parameters<typeof formatTrace>[0]);
        expect(linksTo(text)).toEqual([{ context: { ...context, isRemote: true } }]);
      }),
    );
  });

  test("of any other form has no link, and never throws", () => {
    fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), (text) => {
        expect(linksTo(text)).toEqual([]);
      }),
    );
    const zeros = { traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 };
    expect(linksTo(`00-${zeros.traceId}-${zeros.spanId}-00`)).toEqual([]);
    expect(formatTrace({ spanContext: () => zeros } as Parameters<typeof formatTrace>[0])).toBeUndefined();
  });
});

describe("exceptionOf", () => {
  test("shows frames only, whatever the message is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (noise) => {
        const { name, message, stack } = exceptionOf(new RangeError(`TOP-SECRET\n${noise}\n    at TOP-SECRET (a.js:1)`), false) as Error;
        expect([name, message]).toEqual(["RangeError", undefined]);
        expect(stack).not.toContain("TOP-SECRET");
        expect(stack).toMatch(/^\s+at /);
      }),
    );
  });

  test.each([["a text"], [null], [7], [{ password: "x" }]])("shows only the type of %s, which is no error", (thrown) => {
    expect(exceptionOf(thrown, true)).toEqual({ name: typeof thrown });
  });
});
