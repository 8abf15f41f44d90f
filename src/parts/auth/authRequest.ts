import type { RequestHeaders } from "../../ground/http/headers/headers.js";
import type { HttpRequest } from "../../ground/http/message.js";
import { joinTarget } from "../../ground/http/target.js";
import type { AuthBody, AuthRequest } from "./verifier.js";

/** A request for verifiers and `authorize`. @param address the client's, behind trusted proxies */
export function authRequestOf(request: HttpRequest, headers: RequestHeaders, address = request.address, body?: AuthBody): AuthRequest {
  const { method, path, query, headers: rawHeaders, native } = request;
  return { method, target: joinTarget(request), path, query, headers, rawHeaders, body, address, native };
}
