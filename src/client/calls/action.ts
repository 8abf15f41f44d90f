import type { SendCall } from "../collection.js";
import { guardedNames } from "../options.js";
import { encode, idPath, type RowId } from "../parameters.js";
import { inputText } from "../query.js";

/**
 * Calls an action: on a row if the first argument is an id, else on the collection.
 *
 * @param path of the collection
 */
export async function callAction(call: SendCall, path: string, method: string, isRead: boolean, given: unknown[]): Promise<unknown> {
  const [first] = given;
  const isOfRow = first !== undefined && (typeof first !== "object" || Array.isArray(first));
  const target = `${path}${isOfRow ? idPath(given.shift() as RowId) : ""}/${encode(method)}`;
  const [json, options = {}] = given as [object?, object?];
  if (isRead) return call(method, options, guardedNames, { method: "GET", path: target + inputText(json) });
  return call(method, options, guardedNames, { method: "POST", path: target, json });
}
