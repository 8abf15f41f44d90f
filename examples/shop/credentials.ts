import type { AuthRequest, Principal } from "restwright";
import { apiKey, basic, bearer, equalSecrets, hashApiKey, sigv4 } from "restwright/auth";

/** Demo credentials: they are in a public repository, so they protect nothing. */
const alice: Principal = { id: "alice", tenant: "a", claims: { role: "admin" } };
const carol: Principal = { id: "carol", tenant: "a", claims: { role: "clerk" } };
const bob: Principal = { id: "bob", tenant: "b", claims: { role: "admin" } };

const root: Principal = { id: "root", tenant: "root", claims: { role: "admin" } };

const tokens = new Map([
  ["root", root],
  ["alice", alice],
  ["carol", carol],
  ["bob", bob],
]);

/** Hashed, as a real service stores them. */
const keys = new Map([
  [hashApiKey("key-alice"), alice],
  [hashApiKey("key-bob"), bob],
]);

const passwords = new Map([["alice", { password: "wonderland", principal: alice }]]);

const accessKeys = new Map([["AKIDALICE", { secretAccessKey: "secret-alice", principal: alice }]]);

export const verifiers = [
  bearer((token) => tokens.get(token), { realm: "shop" }),
  apiKey((hash) => keys.get(hash), { realm: "shop" }),
  basic(
    ({ username, password }) => {
      const known = passwords.get(username);
      return known && equalSecrets(known.password, password) ? known.principal : undefined;
    },
    { realm: "shop" },
  ),
  sigv4({ secret: (accessKeyId) => accessKeys.get(accessKeyId), service: "shop", region: "local" }),
];

export function isAdmin({ claims }: Principal): boolean {
  return claims?.["role"] === "admin";
}

/** Admins of the tenant `root` may act for the tenant that they name; for all others the header has no effect. */
export function chooseTenant({ headers }: AuthRequest, principal: Principal): string | undefined {
  return principal.tenant === "root" && isAdmin(principal) ? headers.get("x-tenant-id") : undefined;
}
