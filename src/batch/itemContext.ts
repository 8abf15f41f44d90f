import { RequestHeaders } from "../http/headers.js";
import type { Context } from "../operation/context.js";

const noHeaders = new RequestHeaders([]);

/** The context of every item of a batch: the headers of the request, and what joins its answer, are the whole batch's. */
export function itemContext(context: Context): Context {
  return { ...context, headers: noHeaders, joins: [] };
}

/** The context of an item that is done only if its resource has this entity tag. */
export function conditionalItem(context: Context, ifMatch: string | undefined): Context {
  return ifMatch === undefined ? context : { ...context, headers: new RequestHeaders(["if-match", ifMatch]) };
}

/** The same for an item in each try of its batch, so that a store takes what it inserts once. */
export function itemOperationId(operationId: string, index: number): string {
  return `${operationId}:${index}`;
}
