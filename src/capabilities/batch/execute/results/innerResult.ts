import { isObject } from "../../../../ground/http/isObject.js";
import { readJson } from "../../../../ground/http/json/readJson.js";
import type { HttpResponse, ResponseBody } from "../../../../ground/http/message.js";
import type { ProblemDocument } from "../../../../ground/problem/index.js";
import { joinId } from "../../../../ground/storage/compositeId.js";
import type { ItemResult } from "./result.js";

/** Response headers that a result contains. */
const shownHeaders = ["etag", "location", "last-modified", "link", "x-total-count", "preference-applied", "retry-after", "allow", "www-authenticate"];

/**
 * Converts the response to an operation of a batch to its result.
 *
 * @param idNames the members that contain the id of the row, if the response contains one
 */
export async function innerResult({ status, headers, body }: HttpResponse, idNames: readonly string[]): Promise<ItemResult> {
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
    isObject(value) && idNames.length > 0 && idNames.every((name) => Object.hasOwn(value, name))
      ? { id: idOf(idNames.map((name) => value[name])) }
      : {};
  return { ...result, ...id, data: value };
}

/** One value is the id in its JSON form, several are the parts of a composite one. */
function idOf(values: readonly unknown[]): unknown {
  return values.length === 1 ? values[0] : joinId(values);
}

/** The service produced this JSON itself, so it needs no limits. */
const anything = { depth: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

async function parseBody(body: ResponseBody): Promise<unknown> {
  if (body instanceof Uint8Array) return readJson(body, anything, { checksText: false });
  return typeof body === "string" && body !== "" ? JSON.parse(body) : undefined;
}
