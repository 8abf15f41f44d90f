import type { Context } from "../../../../engine/operation/context.js";
import { RequestHeaders } from "../../../../ground/http/headers/headers.js";

const noHeaders = new RequestHeaders([]);

/** The context of every item of a batch. Request headers and joins belong to the whole batch. */
export function itemContext(context: Context): Context {
  return { ...context, headers: noHeaders, joins: [] };
}

/** The context of an item with a precondition on the entity tag of its row. */
export function conditionalItem(context: Context, ifMatch: string | undefined): Context {
  return ifMatch === undefined ? context : { ...context, headers: new RequestHeaders(["if-match", ifMatch]) };
}

/** An operation id that is the same in every attempt of the batch, so that a store inserts the row only once. */
export function itemOperationId(operationId: string, index: number): string {
  return `${operationId}:${index}`;
}
