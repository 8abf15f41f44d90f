// @slow

import { createHmac, createSecretKey } from "node:crypto";
import fc from "fast-check";
import { errors, exportSPKI } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { authenticate } from "../../../../src/parts/auth/authenticate.js";
import { type BearerJwtOptions, bearerJwt, type JwtAlgorithm, type JwtKey } from "../../../../src/parts/auth/jwt/index.js";
import type { Principal, Verifier } from "../../../../src/parts/auth/verifier.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { authRequest } from "../authRequest.js";
import { audience, type Claims, claims, hs256, issuer, makePair, now, type Pair, secret, secretKey, signToken, trusting } from "./tokens.js";

/** The principal of a token, or the code of the problem. */
async function verdict(verifier: Verifier, token: string): Promise<Principal | string | undefined> {
  try {
    return await authenticate([verifier], authRequest({ Authorization: `Bearer ${token}` }));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.code;
  }
}

const encode = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A token that is signed with HMAC over any header and payload, which `jose` would refuse to make. */
function forge(header: unknown, payload: unknown = claims, key: string | Uint8Array = secret): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

const withSecret = (options: Partial<BearerJwtOptions> = {}) => bearerJwt({ ...trusting, key: secret, ...options });
const bySecret = withSecret();

describe("a token that jose signs", () => {
  const algorithms: readonly JwtAlgorithm[] = ["RS256", "PS256", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
  const pairs = new Map<string, Pair>();
  beforeAll(async () => {
    for (const alg of algorithms) pairs.set(alg, await makePair(alg, alg));
  });

  function pairOf(alg: string): Pair {
    const pair = pairs.get(alg);
    if (pair === undefined) throw new Error(`There is no key for ${alg}.`);
    return pair;
  }

  test("with HS256 is let in, as its subject with its scopes and claims", async () => {
    expect(await verdict(bySecret, await hs256())).toEqual({ id: "alice", scopes: ["read", "write"], claims });
    const imported = await crypto.subtle.importKey("raw", secretKey(), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const key of [secretKey(), imported, createSecretKey(secretKey())]) {
      expect(await verdict(withSecret({ key }), await hs256())).toMatchObject({ id: "alice" });
    }
  });

  test.each(algorithms)("with %s is let in by its key in every form, and by no other key", async (alg) => {
    const { privateKey, publicKey, jwk } = pairOf(alg);
    const token = await signToken(privateKey, { alg, kid: alg });
    const other = await makePair(alg, alg);
    const forms: JwtKey[] = [publicKey, jwk, { keys: [jwk] }, { keys: [...pairs.values()].map((pair) => pair.jwk) }];
    // PEM does not say which of both algorithms of RSA it is for.
    const pem = bearerJwt({ ...trusting, key: await exportSPKI(publicKey), algorithms: [alg] });
    for (const verifier of [pem, ...forms.map((key) => bearerJwt({ ...trusting, key }))])
      expect(await verdict(verifier, token)).toMatchObject({ id: "alice" });
    for (const key of [other.publicKey, other.jwk, { keys: [other.jwk] }]) {
      expect(await verdict(bearerJwt({ ...trusting, key }), token)).toBe("UNAUTHENTICATED");
    }
  });

  test("does not have to name its key: each of a set that fits is tried", async () => {
    const [one, other] = [await makePair("ES256", "1"), await makePair("ES256", "2")];
    const verifier = bearerJwt({ ...trusting, key: { keys: [one.jwk, other.jwk] } });
    for (const { privateKey } of [one, other])
      expect(await verdict(verifier, await signToken(privateKey, { alg: "ES256" }))).toMatchObject({ id: "alice" });
    expect(await verdict(verifier, await signToken((await makePair("ES256")).privateKey, { alg: "ES256" }))).toBe("UNAUTHENTICATED");
    expect(await verdict(verifier, await signToken(other.privateKey, { alg: "ES256", kid: "1" }))).toBe("UNAUTHENTICATED");
    expect(await verdict(verifier, await signToken(other.privateKey, { alg: "ES256" }, { ...claims, exp: now - 60 }))).toBe("UNAUTHENTICATED");
  });

  test("with RS256 cannot be imitated with the public key as a secret", async () => {
    const { publicKey, jwk } = pairOf("RS256");
    const pem = await exportSPKI(publicKey);
    for (const key of [publicKey, jwk, pem, pem.trim(), Buffer.from(pem), { keys: [jwk] }]) {
      const verifier = bearerJwt({ ...trusting, key });
      for (const as of [pem, pem.trim(), JSON.stringify(jwk)]) {
        expect(await verdict(verifier, forge({ alg: "HS256", kid: "RS256" }, claims, as))).toBe("UNAUTHENTICATED");
      }
    }
  });

  test("with an algorithm that is not allowed is refused", async () => {
    const { privateKey, jwk } = pairOf("RS256");
    const { alg: _, ...any } = jwk;
    const verifier = bearerJwt({ ...trusting, key: any, algorithms: ["PS256"] });
    expect(await verdict(verifier, await signToken(privateKey, { alg: "RS256" }))).toBe("UNAUTHENTICATED");
  });
});

describe("a token is refused", () => {
  test.each<[string, Claims]>([
    ["exp in the past", { exp: now - 5 }],
    ["no exp", { exp: undefined }],
    ["nbf in the future", { nbf: now + 6 }],
    ["iat in the future", { iat: now + 6 }],
    ["another iss", { iss: "https://id.example" }],
    ["no iss", { iss: undefined }],
    ["another aud", { aud: "https://other.example" }],
    ["several other aud", { aud: ["https://other.example", `${audience}/`] }],
    ["no aud", { aud: undefined }],
    ["no sub", { sub: undefined }],
    ["an empty sub", { sub: "" }],
    ["a sub that is too long", { sub: "a".repeat(256) }],
    ["a sub with a control character", { sub: "a\u0000" }],
    ["a sub that is no Unicode", { sub: "\ud800" }],
  ])("with %s", async (_, change) => {
    expect(await verdict(bySecret, await hs256({ ...claims, ...change }))).toBe("UNAUTHENTICATED");
  });

  test.each<[string, object]>([
    ["exp as a text", { exp: String(now + 60) }],
    ["nbf as a text", { nbf: "0" }],
    ["iat as a text", { iat: "0" }],
    ["iss as a list", { iss: [issuer] }],
    ["aud as an object", { aud: { [audience]: 1 } }],
    ["sub as a number", { sub: 7 }],
  ])("with %s", async (_, change) => {
    expect(await verdict(bySecret, forge({ alg: "HS256" }, { ...claims, ...change }))).toBe("UNAUTHENTICATED");
  });

  test.each<[string, unknown, unknown?]>([
    ["none", { alg: "none" }],
    ["None", { alg: "None" }],
    ["no algorithm", {}],
    ["an algorithm as a list", { alg: ["HS256"] }],
    ["an unknown algorithm", { alg: "HS257" }],
    ["an inherited name", { alg: "constructor" }],
    ["a critical header that is unknown", { alg: "HS256", crit: ["exp"], exp: 1 }],
    ["an empty list of critical headers", { alg: "HS256", crit: [] }],
    ["an unencoded payload", { alg: "HS256", crit: ["b64"], b64: false }],
    ["a header that is no object", "[]"],
    ["a header that is no JSON", "{"],
    ["a payload that is no object", { alg: "HS256" }, "null"],
    ["a payload that is no JSON", { alg: "HS256" }, "{"],
  ])("with %s", async (_, header, payload) => {
    expect(await verdict(bySecret, forge(header, payload ?? claims))).toBe("UNAUTHENTICATED");
  });

  test("without a signature, without an algorithm, or with both left out", async () => {
    const [header = "", payload = "", signature = ""] = (await hs256()).split(".");
    const none = encode({ alg: "none" });
    const wrong = [
      `${header}.${payload}.`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${payload}`,
      `${header}..${signature}`,
    ];
    for (const token of [
      ...wrong,
      `.${payload}.${signature}`,
      "..",
      ".",
      "a.b.c",
      `${header}.${payload}.${signature}.`,
      `${header}.${payload}..${signature}`,
    ]) {
      expect([token, await verdict(bySecret, token)]).toEqual([token, "UNAUTHENTICATED"]);
    }
  });

  test("wherever one character of it differs, or is missing", async () => {
    const token = await hs256();
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (let index = 0; index < token.length; index++) {
      const at = alphabet.indexOf(token.charAt(index));
      if (at === -1) continue;
      // Flips the highest bit of the six, which is always a bit of a byte.
      const flipped = alphabet.charAt(at ^ 32);
      const changed = [token.slice(0, index) + flipped + token.slice(index + 1), token.slice(0, index) + token.slice(index + 1)];
      for (const wrong of changed) expect([index, await verdict(bySecret, wrong)]).toEqual([index, "UNAUTHENTICATED"]);
    }
  });

  test("if it is longer than 8 KiB, without being parsed", async () => {
    const ofLength = async (length: number) => {
      const rest = length - (await hs256({ ...claims, x: "" })).length;
      const padded = await hs256({ ...claims, x: "a".repeat(Math.floor((rest * 3) / 4)) });
      return padded.length <= length ? padded : "";
    };
    const reasons: unknown[] = [];
    const verifier = withSecret({ onError: (error) => reasons.push(error), otherwise: (token) => ({ id: token }) });
    expect(await verdict(verifier, await ofLength(8_192))).toMatchObject({ id: "alice" });
    expect(await verdict(verifier, await hs256({ ...claims, x: "a".repeat(8_000) }))).toBe("UNAUTHENTICATED");
    expect(await verdict(verifier, "a".repeat(8_193))).toBe("UNAUTHENTICATED");
    expect(reasons).toEqual([]);
  });

  test("with the same answer, whatever is wrong, and the reason goes to onError only", async () => {
    const reasons: string[] = [];
    const verifier = withSecret({ onError: (error) => void reasons.push((error as Error).message) });
    const request = authRequest({ Authorization: "Bearer x" });
    expect(verifier.challenge(request)).toBe('Bearer realm="api", error="invalid_token"');
    for (const token of [await hs256({ ...claims, exp: now - 60 }), forge({ alg: "none" }), "a.b.c", await hs256({ ...claims, aud: "x" })]) {
      await expect(authenticate([verifier], authRequest({ Authorization: `Bearer ${token}` }))).rejects.toMatchObject({
        code: "UNAUTHENTICATED",
        message: "Valid credentials are needed.",
      });
    }
    expect(reasons).toEqual([
      expect.stringContaining("exp"),
      expect.stringContaining("alg"),
      expect.stringContaining("Header is invalid"),
      expect.stringContaining("aud"),
    ]);
  });

  test("also where onError throws", async () => {
    const verifier = withSecret({
      onError: () => {
        throw new Error("the log is full");
      },
    });
    expect(await verdict(verifier, "a.b.c")).toBe("UNAUTHENTICATED");
  });

  test("and never throws, whatever it says", async () => {
    const part = fc.oneof(
      fc.base64String(),
      fc.string(),
      fc.json().map(encode),
      fc.constantFrom(encode({ alg: "HS256" }), encode(claims), "", "=", "."),
    );
    const known = fc.record(
      { alg: fc.constantFrom("HS256", "none", "RS256", 1), crit: fc.anything(), kid: fc.anything(), typ: fc.anything() },
      { requiredKeys: [] },
    );
    const signed = fc.tuple(known, fc.json()).map(([header, payload]) => forge(JSON.stringify(header) ?? "", payload));
    const token = fc.oneof(
      signed,
      // A comma would be a second header.
      fc.array(part, { maxLength: 4 }).map((parts) => parts.join(".").replaceAll(",", "")),
    );
    await fc.assert(
      fc.asyncProperty(token, async (given) => {
        expect(await verdict(bySecret, given)).toBe("UNAUTHENTICATED");
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe("times", () => {
  test.each<[Claims, number, boolean]>([
    [{ exp: now - 4 }, 5, true],
    [{ exp: now - 5 }, 5, false],
    [{ exp: now + 1 }, 0, true],
    [{ exp: now }, 0, false],
    [{ nbf: now + 5, iat: now + 5 }, 5, true],
    [{ nbf: now, iat: now }, 0, true],
    [{ nbf: now + 1 }, 0, false],
    [{ iat: now + 1 }, 0, false],
    [{ nbf: undefined, iat: undefined }, 0, true],
  ])("%j with a tolerance of %i seconds: %s", async (change, clockToleranceSeconds, isValid) => {
    const found = await verdict(withSecret({ clockToleranceSeconds }), await hs256({ ...claims, ...change }));
    expect(found).toEqual(isValid ? expect.objectContaining({ id: "alice" }) : "UNAUTHENTICATED");
  });

  test("maxTokenAgeSeconds limits the age and asks for iat", async () => {
    const young = withSecret({ maxTokenAgeSeconds: 55 });
    expect(await verdict(young, await hs256())).toMatchObject({ id: "alice" });
    expect(await verdict(young, await hs256({ ...claims, iat: now - 61 }))).toBe("UNAUTHENTICATED");
    expect(await verdict(young, await hs256({ ...claims, iat: undefined }))).toBe("UNAUTHENTICATED");
  });
});

describe("issuer, audience and typ", () => {
  const anybody = (given: { readonly sub?: string }) => ({ id: given.sub ?? "?" });

  test("may be one of several", async () => {
    const several = withSecret({ issuer: [issuer, "b"], audience: ["c", audience], principal: anybody });
    expect(await verdict(several, await hs256())).toMatchObject({ id: "alice" });
    expect(await verdict(several, await hs256({ ...claims, iss: "b", aud: ["d", "c"] }))).toMatchObject({ id: "alice" });
    expect(await verdict(several, await hs256({ ...claims, iss: "c" }))).toBe("UNAUTHENTICATED");
  });

  test("are not looked at if they are false", async () => {
    const any = withSecret({ issuer: false, audience: false, principal: anybody });
    expect(await verdict(any, await hs256({ ...claims, iss: undefined, aud: "else" }))).toMatchObject({ id: "alice" });
  });

  test("typ must be what was asked for", async () => {
    const typed = withSecret({ typ: "at+jwt" });
    expect(await verdict(typed, await hs256(claims, { typ: "application/AT+JWT" }))).toMatchObject({ id: "alice" });
    for (const typ of ["JWT", undefined]) expect(await verdict(typed, await hs256(claims, typ === undefined ? {} : { typ }))).toBe("UNAUTHENTICATED");
  });
});

describe("the principal", () => {
  test.each([
    [{ scope: "a  b" }, ["a", "b"]],
    [{ scope: undefined, scp: ["a", 1, ""] }, ["a"]],
    [{ scope: undefined, scp: "a b" }, ["a", "b"]],
    [{ scope: undefined }, []],
    [{ scope: 7 }, []],
  ])("has the scopes of %j", async (change, scopes) => {
    expect(await verdict(bySecret, forge({ alg: "HS256" }, { ...claims, ...change }))).toMatchObject({ scopes });
  });

  test("is made by the callback, which may refuse", async () => {
    const mapped = withSecret({ principal: async ({ sub, ["org"]: org }) => (typeof org === "string" ? { id: `user:${sub}`, tenant: org } : null) });
    expect(await verdict(mapped, await hs256({ ...claims, org: "a" }))).toEqual({ id: "user:alice", tenant: "a" });
    expect(await verdict(mapped, await hs256())).toBe("UNAUTHENTICATED");
    const broken = withSecret({ principal: () => Promise.reject(new Error("no connection")) });
    await expect(verdict(broken, await hs256())).rejects.toThrow("no connection");
    // The same for an error of jose, which the callback may use itself.
    const expired = withSecret({ principal: () => Promise.reject(new errors.JWTInvalid("another token")) });
    await expect(verdict(expired, await hs256())).rejects.toThrow("another token");
  });

  test("without a required scope is 403 with the scope that is needed", async () => {
    const scoped = withSecret({ requiredScopes: ["read", "admin"], realm: "shop" });
    const refused = authenticate([scoped], authRequest({ Authorization: `Bearer ${await hs256()}` }));
    await expect(refused).rejects.toMatchObject({
      code: "FORBIDDEN",
      status: 403,
      message: 'The token lacks the scope "admin".',
      headers: { "www-authenticate": 'Bearer realm="shop", scope="read admin", error="insufficient_scope"' },
    });
    expect(await verdict(scoped, await hs256({ ...claims, scope: "admin read" }))).toMatchObject({ id: "alice" });
    expect(scoped.challenge(authRequest())).toBe('Bearer realm="shop", scope="read admin"');
  });
});

describe("tokens that are not JWTs", () => {
  const both = withSecret({ otherwise: (token) => (token === "opaque" || token === "two.parts" ? { id: "bob", scopes: ["read"] } : undefined) });

  test("go to otherwise, and JWTs never do", async () => {
    for (const token of ["opaque", "two.parts"]) expect(await verdict(both, token)).toMatchObject({ id: "bob" });
    expect(await verdict(both, await hs256())).toMatchObject({ id: "alice" });
    for (const token of ["unknown", "a.b.c", "a b"]) expect(await verdict(both, token)).toBe("UNAUTHENTICATED");
    const greedy = withSecret({ otherwise: (token) => ({ id: token }) });
    expect(await verdict(greedy, `${await hs256()}A`)).toBe("UNAUTHENTICATED");
  });

  test("are refused without it", async () => {
    expect(await verdict(bySecret, "opaque")).toBe("UNAUTHENTICATED");
  });

  test("need the required scopes too", async () => {
    const scoped = withSecret({ otherwise: () => ({ id: "bob" }), requiredScopes: ["read"] });
    expect(await verdict(scoped, "opaque")).toBe("FORBIDDEN");
  });

  test("of other schemes are left to other verifiers", async () => {
    expect(await bySecret.verify(authRequest({ Authorization: "Basic YTpi" }))).toBeNull();
    expect(await bySecret.verify(authRequest())).toBeNull();
  });
});
