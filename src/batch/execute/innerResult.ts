import { readJson } from "../../http/json/readJson.js";
import type { HttpResponse, ResponseBody } from "../../http/message.js";
import type { ProblemDocument } from "../../problem/index.js";
import type { ItemResult } from "./result.js";

/** Response headers that a result contains. */
const shownHeaders = ["etag", "location", "last-modified", "link", "x-total-count", "preference-applied", "retry-after", "allow", "www-authenticate"];

/**
 * Converts the response to an operation of a batch to its result.
 *
 * @param idName the member that contains the id of the row, if the response contains one
 */
export async function innerResult({ status, headers, body }: HttpResponse, idName: string | undefined): Promise<ItemResult> {
  const shown: Record<string, string> = {};
  for (const name of shownHeaders) {
    const value = headers[name];
    if (value !== undefined) shown[name] = String(value);
  }
  const result: ItemResult = Object.keys(shown).length === 0 ? { status } : { status, headers: shown };
  const value = await parseBody(body);
  if (value === undefined) return result;
  if (status >= 400) {
    const { instance: _, ...error } = value as ProblemDocument;
    return { ...result, error };
  }
  const id =
    typeof value === "object" && value !== null && idName !== undefined && Object.hasOwn(value, idName) ? { id: Reflect.get(value, idName) } : {};
  return { ...result, ...id, data: value };
}

/** The service produced this JSON itself, so it needs no limits. */
const anything = { depth: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

async function parseBody(body: ResponseBody): Promise<unknown> {
  if (body instanceof Uint8Array) return readJson(body, anything, { checksText: false });
  return typeof body === "string" && body !== "" ? JSON.parse(body) : undefined;
}
