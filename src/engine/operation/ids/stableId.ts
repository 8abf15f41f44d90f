import type { Context } from "../context.js";

/** Ids of requests, by what identifies a request while it is processed. */
const made = new WeakMap<object, string>();

/** The id of a request, made when it is first needed: the same in each attempt to process it, and cannot be guessed. */
export function requestIdOf({ authRequest, environment }: Pick<Context, "authRequest" | "environment">): string {
  const known = made.get(authRequest) ?? environment.ids.uuid();
  made.set(authRequest, known);
  return known;
}

/** The id of an operation for effects elsewhere: the same in each attempt, with an Idempotency-Key or without. No other operation has it. */
export function stableIdOf(context: Pick<Context, "operationId" | "itemId" | "authRequest" | "environment">): string {
  return context.operationId ?? context.itemId ?? requestIdOf(context);
}
