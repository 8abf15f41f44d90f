import { describe, expect, test } from "vitest";
import { apiKey, hashApiKey } from "../../../src/parts/auth/index.js";
import { failure } from "../../../src/parts/auth/verifier.js";
import { authRequest } from "./authRequest.js";

const ada = { id: "ada" };
const stored = new Map([[hashApiKey("key-ada"), ada]]);
const verifier = apiKey((hash) => stored.get(hash));

describe("an API key", () => {
  test.each([
    { Authorization: "ApiKey key-ada" },
    { Authorization: "apikey key-ada" },
    { "X-API-Key": "key-ada" },
    { Authorization: "ApiKey key-ada", "X-API-Key": "key-ada" },
    { Authorization: "Bearer other", "X-API-Key": "key-ada" },
  ])("is verified: %j", async (headers) => {
    expect(await verifier.verify(authRequest(headers as Record<string, string>))).toBe(ada);
  });

  test.each([
    { "X-API-Key": "key-bob" },
    { "X-API-Key": "" },
    { "X-API-Key": "key ada" },
    { Authorization: "ApiKey" },
    { Authorization: "ApiKey KEY-ADA" },
    { Authorization: "ApiKey key-ada", "X-API-Key": "key-bob" },
    { Authorization: "ApiKey key-bob", "X-API-Key": "key-ada" },
    { Authorization: "ApiKey", "X-API-Key": "key-ada" },
  ])("is wrong in %j", async (headers) => {
    expect(await verifier.verify(authRequest(headers as Record<string, string>))).toBe(failure);
  });

  test("is not in a request with other credentials or none", async () => {
    expect(await verifier.verify(authRequest())).toBeNull();
    expect(await verifier.verify(authRequest({ Authorization: "Bearer key-ada" }))).toBeNull();
  });

  test("reaches the look-up as its hash only", async () => {
    const seen: string[] = [];
    await apiKey((hash) => void seen.push(hash)).verify(authRequest({ "X-API-Key": "abc" }));
    // SHA-256 of "abc", FIPS 180-2 appendix B.1.
    expect(seen).toEqual(["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"]);
  });

  test("is asked for with the realm", () => {
    expect(verifier.challenge(authRequest())).toBe('ApiKey realm="api"');
    expect(apiKey(() => null, { realm: "shop" }).challenge(authRequest())).toBe('ApiKey realm="shop"');
  });
});
