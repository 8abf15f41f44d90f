import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateSecret, parseSecret, secretHint, verificationSecret } from "../../../../src/capabilities/webhooks/signing/secret.js";
import { signingKey } from "../../../../src/capabilities/webhooks/signing/secretKey.js";
import { ConfigurationError, ProblemError } from "../../../../src/ground/problem/index.js";
import { thrownBy } from "../thrown.js";

const whsec = (bytes: number) => `whsec_${randomBytes(bytes).toString("base64")}`;

describe("a generated secret", () => {
  test("is whsec_ and 32 bytes in base64, another one each time", () => {
    const secret = generateSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(parseSecret(secret)).toMatchObject({ kind: "whsec", text: secret, isShort: false });
    expect(parseSecret(secret).keyForV1).toHaveLength(32);
    expect(generateSecret()).not.toBe(secret);
  });
});

describe("a supplied secret", () => {
  test.each([24, 25, 26, 32, 64])("may be whsec_ and %i bytes, which are the key", (bytes) => {
    const secret = whsec(bytes);
    expect(parseSecret(secret).kind).toBe("whsec");
    expect(Buffer.from(parseSecret(secret).keyForV1).toString("base64")).toBe(secret.slice("whsec_".length));
  });

  test.each(["12345678", "My shared secret", "It's a Secret to Everybody", "~".repeat(256), " leading", "WHSEC_is another text", "whsec-also"])(
    "may be printable ASCII, whose bytes are the key: %s",
    (secret) => {
      const parsed = parseSecret(secret);
      expect(parsed).toMatchObject({ kind: "ascii", text: secret });
      expect(Buffer.from(parsed.keyForV1).toString()).toBe(secret);
    },
  );

  test("of fewer than 24 characters is taken and known to be short", () => {
    expect(parseSecret("x".repeat(23)).isShort).toBe(true);
    expect(parseSecret("x".repeat(24)).isShort).toBe(false);
  });

  const canonical = Buffer.alloc(25, 0xfb).toString("base64");
  test.each([
    ["no text", ""],
    ["seven characters", "1234567"],
    ["257 characters", "x".repeat(257)],
    ["a control character", "12345678\n"],
    ["NUL", "1234\u00005678"],
    ["DEL", "12345678\u007f"],
    ["a letter that is not ASCII", "pässwort"],
    ["nothing behind whsec_", "whsec_"],
    ["23 bytes", whsec(23)],
    ["65 bytes", whsec(65)],
    ["base64 without its padding", `whsec_${canonical.replaceAll("=", "")}`],
    ["base64url", `whsec_${Buffer.alloc(25, 0xfb).toString("base64url")}==`],
    ["base64 with a space", `whsec_${canonical.slice(0, 8)} ${canonical.slice(8)}`],
    ["base64 with a line end", `whsec_${canonical}\n`],
    ["base64 with stray bits", `whsec_${canonical.slice(0, -3)}x==`],
    ["base64 with something behind it", `whsec_${canonical}AAAA`],
    ["plain words behind whsec_", "whsec_this is not base64 at all"],
    ["no string", 12_345_678 as unknown as string],
  ])("is refused for %s", (_what, secret) => {
    const error = thrownBy(() => parseSecret(secret));
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ code: "WEAK_SECRET", status: 422, errors: [{ code: "WEAK_SECRET", pointer: "/secret" }] });
  });

  test("never stands in the message that refuses it", () => {
    for (const secret of ["hunter2", "whsec_hunter2hunter2"]) {
      expect(JSON.stringify([String(thrownBy(() => parseSecret(secret))), thrownBy(() => parseSecret(secret))])).not.toContain("hunter2");
    }
  });

  test("can be made to be longer, which says nothing about the other kind", () => {
    const rules = { minimumCharacters: 32 };
    expect(thrownBy(() => parseSecret("x".repeat(31), rules))).toMatchObject({ code: "WEAK_SECRET", message: expect.stringContaining("32") });
    expect(parseSecret("x".repeat(32), rules).kind).toBe("ascii");
    expect(parseSecret(whsec(24), { minimumCharacters: 256 }).kind).toBe("whsec");
  });

  test.each([7, 257, 8.5, Number.NaN])("cannot have a minimum of %d characters", (minimumCharacters) => {
    expect(() => parseSecret("x".repeat(64), { minimumCharacters })).toThrow(ConfigurationError);
  });

  test("of any kind throws nothing but a problem", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String().map((text) => `whsec_${text}`),
          fc.string({ unit: "binary" }),
        ),
        (text) => {
          const error = thrownBy(() => parseSecret(text));
          return error === undefined || error instanceof ProblemError;
        },
      ),
      { seed: 1 },
    );
  });
});

describe("the secret for public verifiers", () => {
  test("is the secret itself where it has the prefix", () => {
    const secret = generateSecret();
    expect(verificationSecret(secret)).toBe(secret);
  });

  test("of any other text stands for the same key", () => {
    expect(verificationSecret("My shared secret")).toBe("whsec_TXkgc2hhcmVkIHNlY3JldA==");
    const printable = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 8,
      maxLength: 256,
    });
    fc.assert(
      fc.property(printable, (text) => {
        fc.pre(!text.startsWith("whsec_"));
        expect(Buffer.from(signingKey(verificationSecret(text)))).toEqual(Buffer.from(parseSecret(text).keyForV1));
      }),
      { seed: 2 },
    );
  });
});

describe("the hint of a secret", () => {
  test.each([
    ["a secret text of enough characters, a1b2", "…a1b2"],
    [`whsec_${Buffer.alloc(24, 1).toString("base64")}`, "…AQEB"],
    [`whsec_${Buffer.alloc(25, 1).toString("base64")}`, "…EBAQ"],
    [`whsec_${Buffer.alloc(32, 1).toString("base64")}`, "…BAQE"],
    ["a text that ends with ====", "…===="],
    ["12345678", "…78"],
  ])("of %s is %s", (secret, hint) => {
    expect(secretHint(secret)).toBe(hint);
  });
});
