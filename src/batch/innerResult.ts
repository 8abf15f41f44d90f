import type { HttpResponse } from "../http/message.js";
import type { ProblemDocument } from "../problem/index.js";
import type { ItemResult } from "./result.js";

/** Headers of an answer that its result shows. */
const shownHeaders = ["etag", "location", "last-modified", "link", "x-total-count", "preference-applied", "retry-after", "allow", "www-authenticate"];

/**
 * The answer to an operation of a batch as a result.
 *
 * @param idName the member that names the resource, where the answer shows one
 */
export function innerResult({ status, headers, body }: HttpResponse, idName: string | undefined): ItemResult {
  const shown: Record<string, string> = {};
  for (const name of shownHeaders) {
    const value = headers[name];
    if (value !== undefined) shown[name] = String(value);
  }
  const result: ItemResult = Object.keys(shown).length === 0 ? { status } : { status, headers: shown };
  const value = typeof body === "string" && body !== "" ? (JSON.parse(body) as unknown) : undefined;
  if (value === undefined) return result;
  if (status >= 400) {
    const { instance: _, ...error } = value as ProblemDocument;
    return { ...result, error };
  }
  const id =
    typeof value === "object" && value !== null && idName !== undefined && Object.hasOwn(value, idName) ? { id: Reflect.get(value, idName) } : {};
  return { ...result, ...id, data: value };
}
