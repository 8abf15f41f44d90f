import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../src/ground/problem/index.js";
import { bearer } from "../../../src/parts/auth/index.js";
import { failure } from "../../../src/parts/auth/verifier.js";
import { authRequest } from "./authRequest.js";

const ada = { id: "ada" };
const verifier = bearer((token) => (token === "mF_9.B5f-4.1JqM" ? ada : undefined));
const verify = (authorization: string) => verifier.verify(authRequest({ Authorization: authorization }));

describe("a bearer token", () => {
  // The token of RFC 6750 §2.1.
  test.each(["Bearer mF_9.B5f-4.1JqM", "bearer mF_9.B5f-4.1JqM", "BEARER   mF_9.B5f-4.1JqM "])("is verified: %j", async (authorization) => {
    expect(await verify(authorization)).toBe(ada);
  });

  test.each(["Basic YTpi", "Bearermf", "Bear mF_9.B5f-4.1JqM", "", "ApiKey Bearer"])("is not in %j", async (authorization) => {
    expect(await verify(authorization)).toBeNull();
  });

  test("is not in a request without Authorization", async () => {
    expect(await verifier.verify(authRequest())).toBeNull();
  });

  test.each(["Bearer", "Bearer ", "Bearer wrong", "Bearer two words", "Bearer tökén", 'Bearer "x"'])("is wrong in %j", async (authorization) => {
    expect(await verify(authorization)).toBe(failure);
  });

  test("may be looked up later, and nobody is a failure", async () => {
    const later = bearer(async (token) => (token === "a" ? ada : null));
    expect(await later.verify(authRequest({ Authorization: "Bearer a" }))).toBe(ada);
    expect(await later.verify(authRequest({ Authorization: "Bearer b" }))).toBe(failure);
  });

  test("that cannot be a token never reaches the look-up", async () => {
    const seen: string[] = [];
    const spying = bearer((token) => void seen.push(token));
    await spying.verify(authRequest({ Authorization: "Bearer a b" }));
    await spying.verify(authRequest({ Authorization: "Bearer ok" }));
    expect(seen).toEqual(["ok"]);
  });

  test("lets a fault of the look-up through: it is no fault of the client", async () => {
    const broken = bearer(() => Promise.reject(new Error("no connection")));
    await expect(broken.verify(authRequest({ Authorization: "Bearer a" }))).rejects.toThrow("no connection");
  });
});

describe("the challenge", () => {
  test("names realm and scope, and the error only where there was a token", () => {
    const scoped = bearer(() => null, { realm: 'the "shop"', scope: "read write" });
    expect(scoped.challenge(authRequest())).toBe('Bearer realm="the \\"shop\\"", scope="read write"');
    expect(scoped.challenge(authRequest({ Authorization: "Bearer x" }))).toBe(
      'Bearer realm="the \\"shop\\"", scope="read write", error="invalid_token"',
    );
    expect(verifier.challenge(authRequest())).toBe('Bearer realm="api"');
  });

  test("is refused at start-up where no header can carry it", () => {
    expect(() => bearer(() => null, { realm: "a\r\nb" })).toThrow(ConfigurationError);
  });
});
