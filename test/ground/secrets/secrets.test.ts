import { createHmac, hkdfSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../src/ground/problem/index.js";
import { Secrets } from "../../../src/ground/secrets/secrets.js";

const [first, second] = ["first secret, long enough", "second secret, long enough"];

describe("secrets", () => {
  test("sign by HMAC-SHA256 cut to 128 bits, with a key derived by HKDF from the label", () => {
    const key = Buffer.from(hkdfSync("sha256", first, "", "restwright:cursor", 32));
    const expected = createHmac("sha256", key).update("text").digest().subarray(0, 16).toString("base64url");
    expect(new Secrets([first]).sign("cursor", "text")).toBe(expected);
    expect(expected).toHaveLength(22);
  });

  test("sign alike each time, and otherwise for another text, label or secret", () => {
    const secrets = new Secrets([first]);
    const codes = [
      secrets.sign("a", "text"),
      secrets.sign("a", "texts"),
      secrets.sign("b", "text"),
      secrets.sign("", "text"),
      new Secrets([second]).sign("a", "text"),
    ];
    expect(new Set(codes).size).toBe(codes.length);
    expect(new Secrets([first]).sign("a", "text")).toBe(codes[0]);
  });

  test("verify what they signed, for that label and text alone", () => {
    const secrets = new Secrets([first]);
    const code = secrets.sign("a", "text");
    expect(secrets.verify("a", "text", code)).toBe(true);
    expect(secrets.verify("b", "text", code)).toBe(false);
    expect(secrets.verify("a", "texts", code)).toBe(false);
    expect(secrets.signer("a").verify("text", secrets.signer("a").sign("text"))).toBe(true);
    expect(secrets.signer("b").verify("text", secrets.signer("a").sign("text"))).toBe(false);
  });

  test("sign with the first and verify with all: they can be changed without a break", () => {
    const [old, both, young] = [new Secrets([first]), new Secrets([second, first]), new Secrets([second])];
    expect(both.verify("a", "text", old.sign("a", "text"))).toBe(true);
    expect(both.sign("a", "text")).toBe(young.sign("a", "text"));
    expect(young.verify("a", "text", old.sign("a", "text"))).toBe(false);
  });

  test("take one spelling of a code only", () => {
    const secrets = new Secrets([first]);
    const code = secrets.sign("a", "text");
    const bytes = Buffer.from(code, "base64url");
    const spellings = [
      `${code}=`,
      `${code}==`,
      ` ${code}`,
      `${code}\n`,
      bytes.toString("base64"),
      bytes.toString("hex"),
      code.slice(0, -1),
      `${code}A`,
      "",
    ];
    for (const spelling of spellings) expect(secrets.verify("a", "text", spelling)).toBe(false);
    // Twenty-two characters have four bits more than 128: other last characters mean the same bytes.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const accepted = [...alphabet].filter((last) => secrets.verify("a", "text", code.slice(0, -1) + last));
    expect(accepted).toEqual([code.at(-1)]);
  });

  test.each([
    ["none", [], /"secrets" must be an array of at least one secret/],
    ["an empty one", [""], /at least 16 bytes/],
    ["a short one", ["fifteen bytes.."], /at least 16 bytes/],
    ["a short one behind a good one", [first, "short"], /at least 16 bytes/],
  ])("refuse to start with %s", (_name, secrets, message) => {
    expect(() => new Secrets(secrets)).toThrow(ConfigurationError);
    expect(() => new Secrets(secrets)).toThrow(message);
    expect(() => new Secrets(secrets)).not.toThrow(/fifteen|short\b/);
  });

  test("count bytes, not characters", () => {
    expect(() => new Secrets(["éééééééé"])).not.toThrow();
    expect(() => new Secrets(["sixteen bytes..!"])).not.toThrow();
  });
});
