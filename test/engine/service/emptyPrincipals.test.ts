import { type JWTPayload, SignJWT } from "jose";
import type { Logger, Principal, Verifier } from "restwright";
import { apiKey, basic, bearer } from "restwright/auth";
import { bearerJwt } from "restwright/jwt";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { createVerifiers } from "../../../examples/shop/credentials.js";
import { setUp } from "./resources.js";

const secret = "a secret of at least 32 bytes, see";

const wrong: readonly [unknown, string][] = [
  [{ id: "" }, '"id" ""'],
  [{ id: "ada", tenant: "" }, '"tenant" ""'],
  [{ id: "", tenant: "a" }, '"id" ""'],
  [{ id: 7 }, '"id" 7'],
  [{ id: "ada", tenant: null }, '"tenant" null'],
];

/** A service whose verifier returns what is given, its log, and how often its store was used. */
function stage(auth: Verifier) {
  const logged: unknown[] = [];
  let used = 0;
  const logger: Logger = { error: (fields) => void logged.push(fields), warn() {}, info() {}, debug() {} };
  const storage = new Proxy(memoryStorage(), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== "collection") return member;
      return (...given: Parameters<typeof target.collection>) =>
        new Proxy(target.collection(...given), {
          get(rows, method) {
            const call: unknown = Reflect.get(rows, method);
            if (typeof call !== "function") return call;
            return (...asked: unknown[]) => {
              used += 1;
              return Reflect.apply(call, rows, asked);
            };
          },
        });
    },
  });
  const { send } = setUp({ auth: [auth], anonymous: "allow", storage, logger });
  return { send, errors: () => logged.map((fields) => String((fields as { readonly err?: unknown }).err)), used: () => used };
}

/** A token that is valid for an hour. */
function tokenOf(claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).setIssuer("shop").setExpirationTime("1h").sign(Buffer.from(secret));
}

/** Verifiers that find this principal, with the credentials that they find it by. */
async function verifiersOf(principal: Principal): Promise<readonly [Verifier, string][]> {
  const jwt = await tokenOf({ sub: "ada" });
  return [
    [bearer(() => principal), "Bearer token"],
    [apiKey(() => principal), "ApiKey key"],
    [basic(() => principal), `Basic ${btoa("ada:right")}`],
    [bearerJwt({ key: secret, issuer: false, audience: false, principal: () => principal }), `Bearer ${jwt}`],
    [{ scheme: "Own", challenge: () => undefined, verify: () => principal }, "Own x"],
  ];
}

describe("a principal that a verifier returns", () => {
  test.each(wrong)("as %j is 500, logged, and uses no store", async (principal, fault) => {
    for (const [verifier, authorization] of await verifiersOf(principal as Principal)) {
      const { send, errors, used } = stage(verifier);
      const before = used();
      for (const body of [undefined, { name: "x" }]) {
        const { status, json, headers } = await send({ method: body ? "POST" : "GET", target: "/things", headers: { authorization }, body });
        expect([status, json.code, headers["content-type"]]).toEqual([500, "INTERNAL", "application/problem+json"]);
      }
      expect(errors()).toEqual(new Array(2).fill(expect.stringContaining(`that of the verifier of "${verifier.scheme}" has the ${fault}.`)));
      expect(used() - before).toBe(0);
    }
  });

  test("is served with an id of one character, and with a tenant of one", async () => {
    for (const [verifier, authorization] of await verifiersOf({ id: "a", tenant: "b" })) {
      const { send } = stage(verifier);
      expect((await send({ method: "POST", target: "/things", headers: { authorization }, body: { name: "x" } })).status).toBe(201);
    }
  });
});

test.each([
  [{ sub: "zoe", tenant: "a" }, 200],
  [{ sub: "", tenant: "a" }, 401],
  [{ sub: "zoe", tenant: "" }, 401],
])("the shop answers the claims %j with %i", async (claims, status) => {
  const { send } = setUp({ auth: createVerifiers({ jwtSecret: secret, secrets: [secret] }) });
  const authorization = `Bearer ${await tokenOf(claims)}`;
  expect((await send({ target: "/things", headers: { authorization } })).status).toBe(status);
});
