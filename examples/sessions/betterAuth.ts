import type { Verifier } from "restwright";

/** What is needed of the result of `betterAuth`. */
interface BetterAuth {
  readonly api: { getSession(request: { headers: Headers }): Promise<{ readonly user: { readonly id: string } } | null> };
}

/** The user of the session that better-auth finds by the cookie; on every host. */
export const sessionsOf = (auth: BetterAuth): Verifier => ({
  scheme: "Session",
  headers: ["Cookie"],
  challenge: () => 'Session realm="shop"',
  async verify({ headers }) {
    const cookie = headers.get("cookie");
    if (cookie === undefined) return null;
    const session = await auth.api.getSession({ headers: new Headers({ cookie }) });
    return session && { id: session.user.id };
  },
});
