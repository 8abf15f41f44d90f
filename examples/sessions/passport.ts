import type { Request } from "express";
import type { Verifier } from "restwright";

/** The user whom `passport.session()` has found. */
export const sessions: Verifier = {
  scheme: "Session",
  headers: ["Cookie"],
  challenge: () => 'Session realm="shop"',
  verify({ native }) {
    const { user } = native as Request & { readonly user?: { readonly id: string } };
    return user === undefined ? null : { id: user.id };
  },
};
