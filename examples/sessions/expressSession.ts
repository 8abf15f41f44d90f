import type { Request } from "express";
import type {} from "express-session";
import type { Verifier } from "restwright";

declare module "express-session" {
  interface SessionData {
    userId: string;
  }
}

/** The user whom a route of the app has put into the session: `request.session.userId = user.id`. */
export const sessions: Verifier = {
  scheme: "Session",
  headers: ["Cookie"],
  challenge: () => 'Session realm="shop"',
  verify({ native }) {
    const { userId } = (native as Request).session;
    return userId === undefined ? null : { id: userId };
  },
};
