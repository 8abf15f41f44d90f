import type { Context } from "../../../engine/operation/context.js";
import type { HttpRequest } from "../../../ground/http/message.js";
import type { Suboperation } from "./suboperation.js";

/** The request of one operation of a batch. Its problems are in the language of the batch, unless it names one of its own. */
export function innerRequest({ request, authRequest, headers: outer }: Context, { method, path, query, headers, body }: Suboperation): HttpRequest {
  const language = outer.get("accept-language");
  const named = headers.includes("content-type");
  const contentType = named || body === undefined ? [] : ["content-type", method === "PATCH" ? "application/merge-patch+json" : "application/json"];
  return {
    method,
    path,
    query,
    mount: request.mount,
    headers: [...headers, ...contentType, ...(headers.includes("accept-language") || language === undefined ? [] : ["accept-language", language])],
    body: body === undefined ? { kind: "none" } : { kind: "parsed", value: body, isExact: true },
    signal: request.signal,
    // The client, which may be behind proxies.
    address: authRequest.address,
    native: request.native,
  };
}
