import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIdempotencyKey } from "../../../src/parts/idempotency/key.js";
import { problemFrom } from "../../ground/http/problemFrom.js";

const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).filter(
  (character) => character !== "," && character !== '"',
);
const keys = fc.array(fc.constantFrom(...visible), { minLength: 16, maxLength: 255 }).map((characters) => characters.join(""));

describe("parseIdempotencyKey", () => {
  it("takes every key of 16 to 255 visible characters, bare, quoted and with white space around it", () => {
    fc.assert(
      fc.property(keys, fc.constantFrom("", " ", "\t", " \t "), (key, space) => {
        expect(parseIdempotencyKey(`${space}${key}${space}`)).toBe(key);
        expect(parseIdempotencyKey(`${space}"${key}"${space}`)).toBe(key);
      }),
    );
  });

  it.each([
    ["draft-ietf-httpapi-idempotency-key-header §2.1", '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "8e03978e-40d5-43dd-bc93-6894a57f9324"],
    ["the shortest", "x".repeat(16), "x".repeat(16)],
    ["the longest, quoted", `"${"x".repeat(255)}"`, "x".repeat(255)],
    ["every kind of visible character", "!#$%&'()*+-./:;<=>?@[\\]^_`{|}~", "!#$%&'()*+-./:;<=>?@[\\]^_`{|}~"],
  ])("takes %s", (_, header, key) => {
    expect(parseIdempotencyKey(header)).toBe(key);
  });

  it.each([
    "",
    " ",
    '""',
    '"',
    "x".repeat(15),
    "x".repeat(256),
    `"${"x".repeat(15)}"`,
    `"${"x".repeat(16)}`,
    `${"x".repeat(16)}"`,
    `""${"x".repeat(16)}""`,
    `"${"x".repeat(16)}";a=1`,
    `${"x".repeat(8)} ${"x".repeat(8)}`,
    `" ${"x".repeat(16)}"`,
    `${"x".repeat(16)},${"x".repeat(16)}`,
    `${"x".repeat(16)}\u0000`,
    `${"x".repeat(16)}\u007f`,
    `${"x".repeat(16)}\u000b`,
    `\u00a0${"x".repeat(16)}`,
    `${"x".repeat(16)}\n`,
    `${"x".repeat(15)}é`,
  ])("refuses %j", (header) => {
    const problem = problemFrom(() => parseIdempotencyKey(header));
    expect([problem.code, problem.status, problem.errors[0]?.header]).toEqual(["IDEMPOTENCY_KEY_INVALID", 400, "Idempotency-Key"]);
    expect(problem.message).toContain("16 to 255");
  });

  it("returns a key that it takes again, or throws a problem", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: "binary" }), (header) => {
        try {
          const key = parseIdempotencyKey(header);
          expect(parseIdempotencyKey(key)).toBe(key);
        } catch (error) {
          expect(error).toMatchObject({ code: "IDEMPOTENCY_KEY_INVALID" });
        }
      }),
    );
  });
});
