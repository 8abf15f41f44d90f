import { RequestHeaders } from "../http/headers.js";
import type { Context } from "../operation/context.js";

const bare = new RequestHeaders([]);

/**
 * The context of one item: the headers of the request speak of the whole batch, not of its items.
 *
 * @param ifMatch the item's own precondition
 */
export function itemContext(context: Context, index: number, body: unknown, ifMatch?: string): Context {
  const { operationId } = context;
  return {
    ...context,
    headers: ifMatch === undefined ? bare : new RequestHeaders(["if-match", ifMatch]),
    body,
    operationId: operationId === undefined ? undefined : itemOperationId(operationId, index),
    joins: [],
  };
}

/** The same for an item in each try of its batch, so that a store takes what it inserts once. */
export function itemOperationId(operationId: string, index: number): string {
  return `${operationId}:${index}`;
}
