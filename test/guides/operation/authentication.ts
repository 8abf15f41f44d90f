import { createService, defineResource, type Principal, type Storage } from "restwright";
import { apiKey, basic } from "restwright/auth";
import { bearerJwt } from "restwright/jwt";
import { z } from "zod";

/** What the program of docs/guides/authentication.md is given. */
export interface GivenAccounts {
  readonly secret: string;
  findKey(sha256: string): Promise<Principal | undefined>;
  checkPassword(username: string, password: string): Promise<boolean>;
}

/** The code of docs/guides/authentication.md, which a test compares with the page. */
export function authentication(storage: Storage, { secret, findKey, checkPassword }: GivenAccounts) {
  const orders = defineResource("orders", {
    schema: z.object({ id: z.int(), total: z.number(), createdBy: z.string() }),
    generated: { id: "increment" },
    stamp: { createdBy: ({ principal }) => principal.id },
  });

  const service = createService({
    resources: [orders],
    storage,
    auth: [
      bearerJwt({ key: secret, issuer: "https://id.example.com/", audience: "orders" }),
      apiKey((sha256) => findKey(sha256)),
      basic(async ({ username, password }) => ((await checkPassword(username, password)) ? { id: username, scopes: ["orders:write"] } : undefined)),
    ],
    authorize: ({ principal, action }) => action === "read" || action === "list" || principal.scopes?.includes("orders:write") === true,
  });

  return service;
}
