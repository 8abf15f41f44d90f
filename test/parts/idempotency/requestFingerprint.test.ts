import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RequestHeaders } from "../../../src/ground/http/headers/headers.js";
import { multipartDigest } from "../../../src/parts/idempotency/multipart.js";
import { type ReadBody, requestFingerprint } from "../../../src/parts/idempotency/requestFingerprint.js";

const fingerprint = (type: string | undefined, body: ReadBody, prefer?: string) =>
  requestFingerprint({
    method: "POST",
    target: "/charges?",
    headers: new RequestHeaders([...(type === undefined ? [] : ["Content-Type", type]), ...(prefer === undefined ? [] : ["Prefer", prefer])]),
    body,
  });
const bytes = (text: string): ReadBody => ({ kind: "bytes", bytes: Buffer.from(text, "latin1") });
const json = "application/json";

describe("requestFingerprint", () => {
  it("is the same for JSON as bytes, as text with white space, and as a value that a host has parsed", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes("__proto__")),
        (value) => {
          const expected = fingerprint(json, { kind: "parsed", value: JSON.parse(JSON.stringify(value)) });
          expect(fingerprint(json, { kind: "bytes", bytes: Buffer.from(JSON.stringify(value)) })).toBe(expected);
          expect(fingerprint("Application/JSON; charset=utf-8", { kind: "bytes", bytes: Buffer.from(JSON.stringify(value, undefined, 2)) })).toBe(
            expected,
          );
        },
      ),
    );
  });

  it.each<[string, string | undefined, ReadBody, ReadBody]>([
    ["another value", json, bytes('{"a":1}'), bytes('{"a":2}')],
    ["an infinite number", json, bytes("1e999"), bytes("null")],
    ["what is no JSON", json, bytes("{a"), bytes("{b")],
    ["bytes that are no UTF-8", json, bytes('"\xff"'), bytes('"\xfe"')],
    ["text where white space counts", "text/plain", bytes('{"a":1}'), bytes('{"a": 1}')],
    ["bytes without a type", undefined, bytes("a"), bytes("b")],
    ["a body and none", "text/plain", bytes("a"), { kind: "none" }],
    ["JSON beyond the size that is parsed", json, bytes(`"${"a".repeat(1_100_000)}"`), bytes(` "${"a".repeat(1_100_000)}"`)],
  ])("sees %s", (_, type, left, right) => {
    expect(fingerprint(type, left)).not.toBe(fingerprint(type, right));
  });

  it("takes text that is nested too deep for its bytes", () => {
    const deep = (depth: number) => bytes("[".repeat(depth) + "]".repeat(depth));
    expect(fingerprint(json, deep(100_000))).not.toBe(fingerprint(json, deep(100_001)));
  });

  it.each([
    ["handling=strict", "Handling = STRICT"],
    ["handling=strict", 'return=minimal, handling="strict"'],
    ["return=minimal", undefined],
    ["handling=other", undefined],
  ])("takes Prefer %j and %j for the same", (left, right) => {
    expect(fingerprint(json, bytes("1"), left)).toBe(fingerprint(json, bytes("1"), right));
  });

  it("sees another handling", () => {
    const all = [undefined, "handling=strict", "handling=lenient"].map((prefer) => fingerprint(json, bytes("1"), prefer));
    expect(new Set(all).size).toBe(3);
  });
});

const form = (boundary: string, parts: readonly string[]) =>
  Buffer.from(`${parts.map((part) => `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n${part}\r\n`).join("")}--${boundary}--\r\n`);

describe("multipartDigest", () => {
  const boundary = fc.stringMatching(/^[a-zA-Z0-9'()+_.=?-]{1,70}$/);
  const content = fc.array(fc.stringMatching(/^[\r\n -~]{0,20}$/), { maxLength: 5 });

  it("is the same under any boundary that the contents do not have", () => {
    fc.assert(
      fc.property(boundary, boundary, content, (one, other, parts) => {
        fc.pre(!parts.some((part) => part.includes(`--${one}`) || part.includes(`--${other}`)));
        expect(multipartDigest(form(one, parts), one)).toEqual(multipartDigest(form(other, parts), other));
      }),
    );
  });

  it("sees other contents, and another order or number of parts", () => {
    fc.assert(
      fc.property(content, content, (left, right) => {
        fc.pre(![...left, ...right].some((part) => part.includes("--boundary")) && JSON.stringify(left) !== JSON.stringify(right));
        expect(multipartDigest(form("boundary", left), "boundary")).not.toEqual(multipartDigest(form("boundary", right), "boundary"));
      }),
    );
  });

  it("has nothing to say of a body without its boundary", () => {
    expect(multipartDigest(Buffer.from("a=1"), "b")).toBeUndefined();
    expect(fingerprint("multipart/form-data; boundary=b", bytes("a=1"))).not.toBe(fingerprint("multipart/form-data; boundary=b", bytes("a=2")));
    expect(fingerprint("multipart/form-data", bytes("a=1"))).not.toBe(fingerprint("multipart/form-data", bytes("a=2")));
  });

  it("counts a part that is cut off", () => {
    expect(multipartDigest(Buffer.from("--b\r\n\r\nabc"), "b")).not.toEqual(multipartDigest(Buffer.from("--b\r\n\r\nab"), "b"));
  });
});
