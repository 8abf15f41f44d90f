import type { Context } from "../operation/context.js";
import type { Offer } from "../operation/offers.js";
import type { Caller } from "./caller.js";

/** Calls of collections that a capability adds. */
export interface FurtherCalls {
  /** The members that the calls of a collection have in addition, by name. */
  membersOf(caller: Caller, collection: string): Readonly<Record<string, (...given: never[]) => Promise<unknown>>>;
  /** Asks the rules of all of these calls, before a transaction. A rule that fails does so again, when a call needs it. */
  askRules(asker: Pick<Context, "scopes" | "environment">): Promise<void>;
}

/** The capability with the actions of collections. */
export const furtherCalls: Offer<FurtherCalls> = { name: "actions" };
