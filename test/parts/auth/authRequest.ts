import { RequestHeaders } from "../../../src/ground/http/headers/headers.js";
import type { AuthRequest } from "../../../src/parts/auth/verifier.js";

/** A GET with these headers. */
export function authRequest(headers: Readonly<Record<string, string>> = {}): AuthRequest {
  const rawHeaders = Object.entries(headers).flat();
  return {
    method: "GET",
    target: "/users",
    path: "/users",
    query: "",
    headers: new RequestHeaders(rawHeaders),
    rawHeaders,
    native: undefined,
  };
}
