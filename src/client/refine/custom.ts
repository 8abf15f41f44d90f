import { isObject, type Members } from "../admin/members.js";
import { encode } from "../parameters.js";
import { listText } from "../query.js";
import type { ClientTransport } from "../transport/transportOf.js";
import { queryOf } from "./filters.js";
import type { RefineCustomParams } from "./types.js";

/**
 * A request of the developer's own, with the credentials, retries and errors of the client.
 *
 * @throws {TypeError} for an address outside of the service, and filters that a query string cannot say
 */
export async function sendCustom({ send, baseUrl }: ClientTransport, params: RefineCustomParams, options: Members): Promise<unknown> {
  const { method, payload, headers = {} } = params;
  const { value } = await send({
    operation: "custom",
    method: method.toUpperCase(),
    path: addressOf(params, baseUrl),
    json: payload,
    isSafe: /^(get|head|options)$/.test(method),
    options: { ...options, headers: { ...(options["headers"] as object), ...headers } },
  });
  return value;
}

/** The credentials of a client are for its service only. */
function addressOf({ url, query = {}, filters, sorters = [] }: RefineCustomParams, baseUrl: string): string {
  const base = new URL(`${baseUrl.replace(/\/+$/, "")}/`).href;
  const whole = /^\/(?!\/)/.test(url) ? base.slice(0, -1) + url : url;
  if (!URL.canParse(whole) || !new URL(whole).href.startsWith(base)) throw new TypeError(`custom: "${url}" is not an address below ${base}.`);
  if (!isObject(query)) throw new TypeError('custom: "query" must be an object.');
  const own = Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((each) => `${encode(name)}=${encode(each)}`));
  const sort = sorters.map(({ field, order }) => (order === "desc" ? `-${field}` : field));
  const text = listText({ ...queryOf(filters), sort: sort.length > 0 ? sort : undefined }, own);
  if (text === undefined) throw new TypeError('custom: these filters do not fit into a query string; send them as "payload" to /searches.');
  return whole + (whole.includes("?") ? text.replace("?", "&") : text);
}
