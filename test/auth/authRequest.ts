import type { AuthRequest } from "../../src/auth/verifier.js";
import { RequestHeaders } from "../../src/http/headers.js";

/** A GET with these headers. */
export function authRequest(headers: Readonly<Record<string, string>> = {}): AuthRequest {
  return {
    method: "GET",
    target: "/users",
    path: "/users",
    query: "",
    headers: new RequestHeaders(Object.entries(headers).flat()),
    native: undefined,
  };
}
