import { generateKeyPairSync } from "node:crypto";
import { createService } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../../src/ground/problem/index.js";
import { type BearerJwtOptions, bearerJwt } from "../../../../src/parts/auth/jwt/index.js";
import { audience, issuer, secret, trusting } from "./tokens.js";

const jwks = "https://id.example/jwks.json";
const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const weak = generateKeyPairSync("rsa", { modulusLength: 1_024 });
const odd = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
const oct = { kty: "oct", k: Buffer.from(secret).toString("base64url") };
const pem = (key: typeof rsa.publicKey) => key.export({ format: "pem", type: "spki" });
const privatePem = rsa.privateKey.export({ format: "pem", type: "pkcs8" });

describe("bearerJwt refuses at start-up", () => {
  test.each<[string, object, string]>([
    ["neither keys nor a key", {}, `exactly one of "jwks" and "key"`],
    ["both", { jwks, key: secret }, `exactly one of "jwks" and "key"`],
    ["no issuer", { key: secret, issuer: undefined }, `"issuer" must be`],
    ["no audience", { key: secret, audience: undefined }, `"audience" must be`],
    ["an empty list of audiences", { key: secret, audience: [] }, `"audience" must be`],
    ["several issuers with one kind of sub", { key: secret, issuer: ["a", "b"] }, `"principal" is needed`],
    ["any issuer with one kind of sub", { key: secret, issuer: false }, `"principal" is needed`],
    ["a misspelled option", { key: secret, audiance: "a" }, `did you mean "audience"`],
    ["a short secret", { key: secret.slice(1) }, "a secret needs 32 bytes"],
    [
      "a secret that is too short for its algorithm",
      { key: secret, algorithms: ["HS512"] },
      "has HS512, which does not fit the key; it fits: HS256.",
    ],
    ["none", { key: secret, algorithms: ["none"] }, `"algorithms[0]" must be`],
    ["no algorithm", { key: secret, algorithms: [] }, `"algorithms" must be an array of algorithms`],
    ["a secret algorithm with a key set", { jwks, algorithms: ["RS256", "HS256"] }, "has HS256, which does not fit the key"],
    ["a secret algorithm with a public key", { key: rsa.publicKey, algorithms: ["HS256"] }, "has HS256, which does not fit the key"],
    ["an algorithm of another type of key", { key: pem(rsa.publicKey), algorithms: ["ES256"] }, "has ES256, which does not fit the key"],
    [
      "an algorithm that differs from that of the JWK",
      { key: { ...rsa.publicKey.export({ format: "jwk" }), alg: "ES256" } },
      `does not fit its own "alg"`,
    ],
    ["a weak RSA key", { key: weak.publicKey }, "an RSA key 2048 bits"],
    ["an unknown curve", { key: odd.publicKey }, "of a type that no algorithm has"],
    ["a private key", { key: rsa.privateKey }, "is a private key"],
    ["a private key in PEM", { key: privatePem }, "is a private key"],
    ["a private JWK", { key: rsa.privateKey.export({ format: "jwk" }) }, "is a private key"],
    ["broken PEM", { key: "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----" }, "is not a public key in PEM"],
    ["a broken JWK", { key: { kty: "RSA", n: "AQAB" } }, "is not a public JWK"],
    ["a secret JWK without a value", { key: { kty: "oct" } }, `is a secret JWK without "k"`],
    ["an object that is no key", { key: {} }, "is neither a secret, nor a public key, nor a JWK"],
    ["an empty set", { key: { keys: [] } }, "is a set without keys"],
    ["a set with a secret", { key: { keys: [oct] } }, "is a set with a secret"],
    ["http to another machine", { jwks: "http://id.example/jwks.json" }, "must be an https URL"],
    ["what is no URL", { jwks: "id.example" }, "must be an https URL"],
    ["a refresh of nothing", { key: secret, refresh: {} }, `"refresh" has no effect`],
    ["a cool-down of no time", { jwks, refresh: { coolDownSeconds: 0 } }, `"refresh.coolDownSeconds" must be a whole number from 1`],
    ["two scopes in one", { key: secret, requiredScopes: ["a b"] }, `"requiredScopes" must be`],
    ["a realm that no header can have", { key: secret, realm: "a\nb" }, "visible ASCII"],
  ])("%s", (_, options, text) => {
    const make = () => bearerJwt({ ...trusting, ...options } as BearerJwtOptions);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(text);
  });

  test("without repeating a secret", () => {
    for (const key of [secret.slice(1), privatePem, { kty: "oct", k: secret }]) {
      expect(() => bearerJwt({ ...trusting, key, algorithms: ["HS512"] })).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining("secret of") }),
      );
    }
  });

  test("a second verifier of bearer tokens in one service", () => {
    const auth = [bearerJwt({ key: secret, issuer, audience }), bearer(() => null)];
    expect(() => createService({ resources: [], storage: memoryStorage(), logger: false, auth })).toThrow('Two verifiers are of the scheme "Bearer"');
  });
});

test.each(["http://localhost/keys", "http://127.0.0.1:8080/keys", "http://[::1]/keys", "https://id.example/keys"])("a key set may be at %s", (at) => {
  expect(bearerJwt({ ...trusting, jwks: at }).scheme).toBe("Bearer");
});

test.each<[string, BearerJwtOptions["key"]]>([
  ["a secret JWK", oct],
  ["bytes of PEM", Buffer.from(pem(rsa.publicKey))],
])("a key may be %s", (_, key) => {
  expect(bearerJwt({ ...trusting, key }).scheme).toBe("Bearer");
});
