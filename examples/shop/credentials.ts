import type { AuthorizationQuestion, AuthRequest, Principal, Verifier } from "restwright";
import { apiKey, basic, bearer, digest, digestHa1, equalSecrets, hashApiKey, sigv4 } from "restwright/auth";
import { bearerJwt } from "restwright/jwt";
import type { Settings } from "./settings.js";

/** Demo credentials: they are in a public repository, so they protect nothing. */
const alice: Principal = { id: "alice", tenant: "a", claims: { role: "admin" } };
const carol: Principal = { id: "carol", tenant: "a", claims: { role: "clerk", region: "north" } };
const bob: Principal = { id: "bob", tenant: "b", claims: { role: "admin" } };
const root: Principal = { id: "root", tenant: "root", claims: { role: "admin" } };

const tokens = new Map([
  ["alice", alice],
  ["carol", carol],
  ["bob", bob],
  ["root", root],
]);

/** Hashed, as a real service stores them. */
const keys = new Map([
  [hashApiKey("key-alice"), alice],
  [hashApiKey("key-bob"), bob],
]);

const passwords = new Map([["alice", { password: "wonderland", principal: alice }]]);

const accessKeys = new Map([["AKIDALICE", { secretAccessKey: "secret-alice", principal: alice }]]);

const realm = "shop";

export function createVerifiers({ jwtSecret, secrets }: Pick<Settings, "jwtSecret" | "secrets">): readonly Verifier[] {
  return [
    bearerOf(jwtSecret),
    apiKey((hash) => keys.get(hash), { realm }),
    digest({
      realm,
      secret: secrets[0],
      ha1(username, algorithm) {
        const known = passwords.get(username);
        return known && { ha1: digestHa1({ username, realm, password: known.password }, algorithm), principal: known.principal };
      },
    }),
    basic(
      ({ username, password }) => {
        const known = passwords.get(username);
        return known && equalSecrets(known.password, password) ? known.principal : undefined;
      },
      { realm },
    ),
    sigv4({ secret: (accessKeyId) => accessKeys.get(accessKeyId), service: "shop", region: "local" }),
  ];
}

/** The tokens above and, with a secret, JWTs beside them. Only the shop has the secret, so the tokens name no audience. */
function bearerOf(jwtSecret: string | undefined): Verifier {
  const otherwise = (token: string) => tokens.get(token);
  if (jwtSecret === undefined) return bearer(otherwise, { realm });
  return bearerJwt({
    key: jwtSecret,
    issuer: "shop",
    audience: false,
    principal: ({ sub, ["tenant"]: tenant, ["role"]: role, ["region"]: region }) =>
      isName(sub) && isName(tenant) ? { id: sub, tenant, claims: { role, region } } : undefined,
    otherwise,
    realm,
  });
}

/** With an empty id or tenant, strangers would be one principal: the token that names it is refused. */
function isName(claim: unknown): claim is string {
  return typeof claim === "string" && claim !== "";
}

export function isAdmin({ claims }: Principal): boolean {
  return claims?.["role"] === "admin";
}

/** Admins write products, which all tenants share. Which rows of users and orders a principal may use is in scopes.ts. */
export function authorizeProducts({ principal, action, collection }: AuthorizationQuestion): boolean {
  return collection !== "products" || action === "list" || action === "read" || isAdmin(principal);
}

/** Admins of the tenant `root` may act for the tenant that they name; for all others the header has no effect. */
export function chooseTenant({ headers }: AuthRequest, principal: Principal): string | undefined {
  return principal.tenant === "root" && isAdmin(principal) ? headers.get("x-tenant-id") : undefined;
}
