import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Secrets } from "../../../src/ground/secrets/secrets.js";
import { type SignedUse, signUrl, verifySignedUrl } from "../../../src/parts/blobs/signedUrl.js";
import { problemFrom } from "../../ground/http/problemFrom.js";

const [first, second] = ["the first secret of the service", "the second secret of the service"] as const;
const secrets = new Secrets([first]);
const nowMs = Date.UTC(2026, 0, 1);
const expiresAt = nowMs / 1_000 + 900;
const use: SignedUse = { method: "GET", path: "/exports/7/download", owner: "ada" };

/** The query that `use` is signed with. */
function signed(by = secrets, of = use, until = expiresAt): string {
  return signUrl(by, of, until).slice(of.path.length + 1);
}

const query = signed();
const invalid = "The signature of this address is not valid: it was changed, or its secret is no longer in use.";

function refusal(text: string, of: SignedUse = use, by = secrets, atMs = nowMs) {
  const { code, status, message } = problemFrom(() => verifySignedUrl(by, of, text, atMs));
  expect({ code, status }).toEqual({ code: "INVALID_SIGNATURE", status: 403 });
  return message;
}

test("a signed address is its path, the time, the key and 256 bits of signature", () => {
  expect(signUrl(secrets, use, expiresAt)).toMatch(/^\/exports\/7\/download\?e=1767226500&k=[\w-]{8}&s=[\w-]{43}$/);
});

test("it is valid as it was signed, its parameters in any order", () => {
  verifySignedUrl(secrets, use, query, nowMs);
  verifySignedUrl(secrets, use, query.split("&").toReversed().join("&"), nowMs);
  const anonymous = { method: "PUT", path: "/uploads/direct/x" };
  verifySignedUrl(secrets, anonymous, signed(secrets, anonymous), nowMs);
});

test("what may be got may be looked at by HEAD, and nothing else", () => {
  verifySignedUrl(secrets, { ...use, method: "HEAD" }, query, nowMs);
  const put = { ...use, method: "PUT" };
  expect(refusal(signed(secrets, put), { ...use, method: "HEAD" })).toBe(invalid);
});

test("it is over at the second that it names, and says so", () => {
  verifySignedUrl(secrets, use, query, expiresAt * 1_000 - 1);
  expect(refusal(query, use, secrets, expiresAt * 1_000)).toBe(
    "This address was valid until 2026-01-01T00:15:00.000Z. Request a new one from its issuer.",
  );
});

describe("it is refused", () => {
  test.each<[string, Partial<SignedUse>]>([
    ["for another method", { method: "PUT" }],
    ["for a method in small letters", { method: "get" }],
    ["for another path", { path: "/exports/8/download" }],
    ["for a longer path", { path: "/exports/7/download/" }],
    ["for another owner", { owner: "eve" }],
    ["for no owner", { owner: undefined }],
    ["for an owner without a name", { owner: "" }],
  ])("%s", (_name, change) => {
    expect(refusal(query, { ...use, ...change })).toBe(invalid);
  });

  const { e = "", k = "", s = "" } = Object.fromEntries(new URLSearchParams(query));
  test.each([
    ["", "without a query"],
    [`e=${e}&k=${k}`, "without a signature"],
    [`e=${e}&s=${s}`, "without a key"],
    [`k=${k}&s=${s}`, "without a time"],
    [`${query}&s=${s}`, "with a parameter twice"],
    [`${query}&e=${e}`, "with a parameter twice"],
    [`${query}&e=9999999999`, "with another time behind its own"],
    [`e=9999999999&${query}`, "with another time before its own"],
    [`${query}&x=1`, "with an unknown parameter"],
    [`e=${e}&k=${k}&x=1`, "with an unknown parameter in place of one"],
    [`${query}&`, "with an empty parameter"],
    [`&${query}`, "with an empty parameter"],
    [`?${query}`, "with a second question mark"],
    [`E=${e}&k=${k}&s=${s}`, "with a parameter in a large letter"],
    [`%65=${e}&k=${k}&s=${s}`, "with a parameter that is percent-encoded"],
    [`e=${e}&k=${k}&s=${s.replace(/./, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}`, "with a value that is percent-encoded"],
    [`e=0${e}&k=${k}&s=${s}`, "with a time written in another way"],
    [`e=${e}&k=${k}&s=${s}=`, "with padding"],
    [`e=${e}&k=${k}&s=${s.slice(0, -1)}`, "with a part of the signature"],
    [`e=${e}&k=${k}&s=`, "with an empty signature"],
    [`e=${e}&k=AAAAAAAA&s=${s}`, "with the id of another key"],
    [`e=${Number(e) + 1}&k=${k}&s=${s}`, "with another time"],
  ])("%s: %s", (text) => {
    expect(refusal(text)).toBe(invalid);
  });

  test("with any other character in any place", () => {
    fc.assert(
      fc.property(fc.nat(query.length - 1), fc.string({ minLength: 0, maxLength: 1 }), (at, character) => {
        fc.pre(query[at] !== character);
        expect(refusal(query.slice(0, at) + character + query.slice(at + 1))).toBe(invalid);
      }),
    );
  });

  test("with any other last character, also where it stands for the same bytes", () => {
    const others = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].filter((character) => !query.endsWith(character));
    for (const character of others) expect(refusal(query.slice(0, -1) + character)).toBe(invalid);
  });

  test("with members that run into one another", () => {
    const [one, other] = [
      { method: "GET", path: "/a", owner: "b" },
      { method: "GET", path: "/ab", owner: "" },
    ];
    expect(refusal(signed(secrets, one), other)).toBe(invalid);
    expect(refusal(signed(secrets, one), { method: "GET", path: '/a","b' })).toBe(invalid);
  });
});

test("a secret can follow another without a break: the first signs, all are accepted, and one that is gone is not", () => {
  const both = new Secrets([second, first]);
  verifySignedUrl(both, use, query, nowMs);
  const later = signed(both);
  expect(new URLSearchParams(later).get("k")).not.toBe(new URLSearchParams(query).get("k"));
  verifySignedUrl(new Secrets([second]), use, later, nowMs);
  expect(refusal(query, use, new Secrets([second]))).toBe(invalid);
});

test.each([0, -1, 1.5, Number.NaN, 1e15])("an address that expires at %d is not made", (at) => {
  expect(() => signUrl(secrets, use, at)).toThrow(RangeError);
});
