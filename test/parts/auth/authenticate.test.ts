import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestHeaders } from "../../../src/ground/http/headers/headers.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { authenticate, unauthenticated } from "../../../src/parts/auth/authenticate.js";
import { apiKey, basic, bearer, hashApiKey } from "../../../src/parts/auth/index.js";
import { type AuthRequest, failure, type Verifier } from "../../../src/parts/auth/verifier.js";
import { authRequest } from "./authRequest.js";

const ada = { id: "ada" };
const bearers = bearer((token) => (token === "good" ? ada : null));
const keys = apiKey((hash) => (hash === hashApiKey("good") ? ada : null));
const passwords = basic(({ username, password }) => (username === "ada" && password === "good" ? ada : null));
const all = [bearers, keys, passwords];

const basicAuthorization = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const challengesOf = (verifiers: readonly Verifier[], request: AuthRequest) => unauthenticated(verifiers, request).headers["www-authenticate"];

describe("authentication", () => {
  test.each([{ Authorization: "Bearer good" }, { "X-API-Key": "good" }, { Authorization: basicAuthorization("ada:good") }])(
    "finds the principal of %j",
    async (headers) => {
      expect(await authenticate(all, authRequest(headers as Record<string, string>))).toBe(ada);
    },
  );

  test("finds nobody where there are no credentials", async () => {
    expect(await authenticate(all, authRequest())).toBeUndefined();
    expect(await authenticate([], authRequest())).toBeUndefined();
  });

  test.each([
    { Authorization: "Bearer bad" },
    { Authorization: "Bearer " },
    { "X-API-Key": "bad" },
    { Authorization: basicAuthorization("ada:bad") },
    { Authorization: basicAuthorization("nobody:good") },
    { Authorization: "Basic !" },
    { Authorization: 'Digest username="ada"' },
    { Authorization: "Negotiate abc" },
    { Authorization: "" },
    { Authorization: "good" },
  ])("refuses %j, and says the same for all", async (headers) => {
    const refused = expect(authenticate(all, authRequest(headers as Record<string, string>))).rejects;
    await refused.toMatchObject({ code: "UNAUTHENTICATED", status: 401, message: "Valid credentials are needed.", errors: [], extensions: {} });
  });

  test("refuses credentials of two kinds, be they right or wrong", async () => {
    for (const key of ["good", "bad"]) {
      const request = authRequest({ Authorization: "Bearer good", "X-API-Key": key });
      await expect(authenticate(all, request)).rejects.toMatchObject({ code: "CONFLICTING_CREDENTIALS", status: 400 });
    }
  });

  test("ignores a second credential that no verifier claims", async () => {
    expect(await authenticate([bearers], authRequest({ Authorization: "Bearer good", "X-API-Key": "bad" }))).toBe(ada);
  });

  test("keeps verifiers that are objects with a life of their own", async () => {
    class Sessions implements Verifier {
      readonly scheme = "Session";
      readonly #realm = "shop";
      challenge = () => `Session realm="${this.#realm}"`;
      verify({ headers }: AuthRequest) {
        return headers.get("cookie") === `${this.#realm}=1` ? ada : failure;
      }
    }
    const sessions = new Sessions();
    expect(await authenticate([sessions], authRequest({ Cookie: "shop=1" }))).toBe(ada);
    expect(challengesOf([sessions], authRequest())).toEqual(['Session realm="shop"']);
  });

  test("throws nothing but problems, whatever the headers say", async () => {
    const scheme = fc.constantFrom("Bearer", "Basic", "ApiKey", "Digest", "");
    const authorization = fc.tuple(scheme, fc.constantFrom(" ", "", "\t"), fc.oneof(fc.string(), fc.base64String())).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(authorization, fc.option(fc.string(), { nil: undefined }), async (value, key) => {
        try {
          const raw = ["Authorization", value, ...(key === undefined ? [] : ["X-API-Key", key])];
          await authenticate(all, { ...authRequest(), headers: new RequestHeaders(raw) });
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
        }
      }),
    );
  });
});

describe("a 401", () => {
  const [bearerChallenge, keyChallenge, basicChallenge] = ['Bearer realm="api"', 'ApiKey realm="api"', 'Basic realm="api", charset="UTF-8"'];

  test("has one challenge a scheme, in the order of the verifiers", () => {
    expect(challengesOf(all, authRequest())).toEqual([bearerChallenge, keyChallenge, basicChallenge]);
    expect(challengesOf([bearers, bearers, keys], authRequest())).toEqual([bearerChallenge, keyChallenge]);
  });

  test("has every challenge of a scheme that has several", () => {
    const digest: Verifier = { scheme: "Digest", challenge: () => ["Digest a", "Digest b"], verify: () => null };
    expect(challengesOf([digest, keys], authRequest())).toEqual(["Digest a", "Digest b", keyChallenge]);
    expect(challengesOf([digest, keys], authRequest({ "Sec-Fetch-Mode": "cors" }))).toEqual([keyChallenge]);
  });

  test.each([{ "Sec-Fetch-Mode": "cors" }, { "X-Requested-With": "XMLHttpRequest" }])(
    "opens no password box over a page that sends %j, where another scheme stands",
    (headers) => {
      const request = authRequest(headers as Record<string, string>);
      const digest: Verifier = { scheme: "Digest", challenge: () => 'Digest realm="api", nonce="n"', verify: () => null };
      expect(challengesOf([passwords, digest, keys], request)).toEqual([keyChallenge]);
      expect(challengesOf([passwords], request)).toEqual([basicChallenge]);
    },
  );

  test("of a navigation offers the password box", () => {
    expect(challengesOf(all, authRequest({ "Sec-Fetch-Mode": "navigate" }))).toContain(basicChallenge);
  });

  test("leaves out a verifier that does not want to be offered", () => {
    const silent: Verifier = { scheme: "Session", challenge: () => undefined, verify: () => null };
    expect(challengesOf([silent, keys], authRequest())).toEqual([keyChallenge]);
    expect(unauthenticated([silent], authRequest()).headers).toEqual({});
  });
});
