import { describe, expect, test } from "vitest";
import { Secrets } from "../../../src/ground/secrets/secrets.js";
import type { Scalar } from "../../../src/ground/storage/values/scalar.js";
import { type Cursor, cursorCodec, type ListIdentity, type Signer } from "../../../src/language/query/paging/cursor.js";
import { parse } from "./language.js";

const secrets = new Secrets(["a secret of sixteen bytes or more"]);
const signer = secrets.signer("cursor");
const list = (query: string, changes: Partial<ListIdentity> = {}): ListIdentity => {
  const { filter, sort } = parse(query);
  return { collection: "things", tenant: undefined, filter, sort, ...changes };
};
const codecOf = (query: string, changes: Partial<ListIdentity> = {}) => cursorCodec(list(query, changes), signer);

const query = "status=open,paid&total[gte]=5&createdAt[gte]=2026-01-31&big=5&sort=-total,createdAt";
const values: readonly Scalar[] = [1.5, new Date("2026-01-31T10:00:00.001Z"), 7];
const cursor: Cursor = { direction: "after", values };
const text = codecOf(query).write(cursor);

describe("a cursor", () => {
  test.each(["after", "before"] as const)("says what lies %s it", (direction) => {
    const codec = codecOf(query);
    expect(codec.read(codec.write({ direction, values }))).toEqual({ direction, values });
  });

  test.each<[kind: string, values: readonly Scalar[]]>([
    ["null", [null, 7]],
    ["dates", [new Date(0), new Date(-1), new Date("9999-12-31T23:59:59.999Z")]],
    ["bigints", [2n ** 63n - 1n, -(2n ** 63n), 0n]],
    ["numbers", [0.1, -1e300, Number.MAX_SAFE_INTEGER, 5e-324]],
    ["texts", ["", "é😀\u0301", '{"date":5}', "a.b", "\u2028"]],
    ["booleans", [true, false]],
  ])("keeps %s", (_kind, kept) => {
    const codec = codecOf(query);
    const read = codec.read(codec.write({ direction: "after", values: kept }));
    expect(read).toEqual({ direction: "after", values: kept });
  });

  test("is made of characters that a query need not encode", () => {
    expect(text).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/);
    expect(parse(`cursor=${text}`).cursor).toBe(text);
  });

  test.each([
    ["another page size", `${query}&perPage=7`],
    ["the parameters in another order", "sort=-total,createdAt&big=5&total[gte]=5&createdAt[gte]=2026-01-31&status=paid,open"],
    ["other spellings of the same", "status[in]=paid&status[in]=open&total__gte=5.0&createdAt[gte]=2026-01-31&big=5&sort=-total,%20createdAt"],
    ["other fields, relations and ways to count", `${query}&fields=id&include=x&count=none`],
  ])("is of use with %s", (_name, other) => {
    expect(codecOf(other).read(text)).toEqual(cursor);
  });

  test.each([
    ["another value", query.replace("open", "void")],
    ["one value less", query.replace("open,", "")],
    ["another operator", query.replace("gte", "gt")],
    ["another day", query.replace("-31", "-30")],
    ["a condition more", `${query}&name=a`],
    ["a condition less", query.replace("&big=5", "")],
    ["another bigint", query.replace("big=5", "big=6")],
    ["another direction", query.replace("-total", "total")],
    ["another order of the keys", query.replace("-total,createdAt", "createdAt,-total")],
    ["another key", query.replace("createdAt", "day")],
    ["no sort", query.replace("&sort=-total,createdAt", "")],
    ["another search", `${query}&q=a`],
  ])("is refused with %s", (_name, other) => {
    expect(codecOf(other).read(text)).toBeUndefined();
  });

  test.each<[name: string, changes: Partial<ListIdentity>]>([
    ["of another tenant", { tenant: "a" }],
    ["of another collection", { collection: "orders" }],
    ["without its filter", { filter: undefined }],
  ])("is refused by a list %s", (_name, changes) => {
    expect(codecOf(query, changes).read(text)).toBeUndefined();
    expect(codecOf(query, { ...changes, tenant: "b" }).read(text)).toBeUndefined();
  });

  test("of a tenant is refused by one without", () => {
    const tenants = codecOf(query, { tenant: "a" });
    expect(codecOf(query).read(tenants.write(cursor))).toBeUndefined();
    expect(codecOf(query, { tenant: "null" }).read(text)).toBeUndefined();
  });
});

describe("a cursor that was tampered with is refused", () => {
  const codec = codecOf(query);

  test("wherever one character was changed", () => {
    for (let at = 0; at < text.length; at++) {
      for (const character of ["A", "B", "_", "-", "=", ".", "+", "/", " ", "é"]) {
        if (text[at] === character) continue;
        expect(codec.read(text.slice(0, at) + character + text.slice(at + 1)), `at ${at}`).toBeUndefined();
      }
    }
  });

  test("wherever one bit was turned", () => {
    const bytes = Buffer.from(text);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const turned = Buffer.from(bytes);
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(codec.read(turned.toString("latin1")), `bit ${bit}`).toBeUndefined();
    }
  });

  test("wherever it was cut or made longer", () => {
    for (let length = 0; length < text.length; length++) expect(codec.read(text.slice(0, length)), `${length}`).toBeUndefined();
    for (const more of ["A", "=", "==", ".", " ", "%00"]) {
      expect(codec.read(text + more)).toBeUndefined();
      expect(codec.read(more + text)).toBeUndefined();
    }
  });

  test("with the code of another", () => {
    const other = codec.write({ direction: "before", values });
    const [body = "", code = ""] = text.split(".");
    const [otherBody = "", otherCode = ""] = other.split(".");
    expect([codec.read(`${body}.${otherCode}`), codec.read(`${otherBody}.${code}`)]).toEqual([undefined, undefined]);
    expect(codec.read(other)?.direction).toBe("before");
  });

  test("in another base64 alphabet, or with padding", () => {
    const odd: Cursor = { direction: "after", values: ["???>>>~~~", "???>>>~~~", "???>>>~~~"] };
    const [body = "", code = ""] = codec.write(odd).split(".");
    expect(codec.read(`${body}.${code}`)).toEqual(odd);
    const base64 = Buffer.from(body, "base64url").toString("base64");
    expect(base64).toMatch(/[+/]/);
    expect(codec.read(`${base64}.${code}`)).toBeUndefined();
    expect(codec.read(`${body}=.${code}`)).toBeUndefined();
    expect(codec.read(`${body}.${code}==`)).toBeUndefined();
    const spellings = [..."AQgw"].map((last) => code.slice(0, -1) + last).filter((spelling) => spelling !== code);
    for (const spelling of spellings) expect(codec.read(`${body}.${spelling}`)).toBeUndefined();
  });

  test.each(["", ".", "..", "a.b", "null", "e30.e30", "__proto__", "W10.", ".W10"])("when it never was one: %j", (never) => {
    expect(codec.read(never)).toBeUndefined();
  });

  test("that was signed for another use or by another service", () => {
    const of = (other: Signer) => cursorCodec(list(query), other).write(cursor);
    expect(codec.read(of(secrets.signer("other")))).toBeUndefined();
    expect(codec.read(of(new Secrets(["another secret of 16 bytes"]).signer("cursor")))).toBeUndefined();
    expect(codec.read(of(secrets.signer("cursor")))).toEqual(cursor);
  });

  test("or is of another version", () => {
    const written = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const codeOf = (body: string) =>
      cursorCodec(list(query), { sign: (signed) => signer.sign(signed.replace(/^[^.]*/, body)), verify: () => false })
        .write(cursor)
        .split(".")[1];
    const signedCursor = (body: string) => `${body}.${codeOf(body)}`;
    expect(codec.read(signedCursor(text.split(".")[0] ?? ""))).toEqual(cursor);
    for (const value of [[1, "after", "", [], ""], { v: 1 }, null, 1, "1"]) expect(codec.read(signedCursor(written(value)))).toBeUndefined();
  });
});

test("cursors outlive a change of secrets, as long as the old one is kept", () => {
  const [old, young] = ["the old secret, 16 bytes", "the new secret, 16 bytes"];
  const codec = (...all: string[]) => cursorCodec(list(query), new Secrets(all).signer("cursor"));
  const made = codec(old).write(cursor);
  expect(codec(young, old).read(made)).toEqual(cursor);
  expect(codec(young).read(made)).toBeUndefined();
  expect(codec(young).read(codec(young, old).write(cursor))).toEqual(cursor);
});
