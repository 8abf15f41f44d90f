import { optionsCheck, passing, strict, text } from "../ground/options/index.js";
import { ConfigurationError } from "../ground/problem/index.js";
import type { Principal } from "../parts/auth/verifier.js";

/** A request of a test. */
export interface TestRequest {
  /** Who sends it. Without it the request has no credentials but those in its headers. */
  readonly as?: Principal | undefined;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A value that is sent as JSON. */
  readonly json?: unknown;
  /** A body that is sent as it is, such as a text, bytes or a `FormData`. */
  readonly body?: RequestInit["body"] | undefined;
}

/** Rejects unknown option names of `fetch`, and values of a wrong type. @throws {ConfigurationError} */
export const checkTestRequest = /* @__PURE__ */ optionsCheck("fetch", () =>
  strict<TestRequest>({
    as: passing(`a principal, such as { id: "ann" }`, (value) => typeof value === "object" && value !== null),
    method: text("a method"),
    headers: passing("an object with headers", (value) => typeof value === "object" && value !== null),
    json: passing("a JSON value", isData),
    body: passing("a body", isData),
  }),
);

function isData(value: unknown): boolean {
  return typeof value !== "symbol" && typeof value !== "function";
}

/**
 * The request of a test.
 *
 * @param target path with query, or a request that is complete
 * @throws {ConfigurationError} if there are two bodies, or a complete request gets parts
 */
export function requestOf(target: string | Request, { method, headers, json, body }: TestRequest): Request {
  if (typeof target !== "string") {
    if (method ?? headers ?? json ?? body) throw new ConfigurationError(`fetch: a Request has its method, headers and body; only "as" can be added.`);
    return target;
  }
  if (json !== undefined && body !== undefined) throw new ConfigurationError(`fetch: "json" and "body" cannot be used together.`);
  const content =
    json === undefined
      ? { body: body ?? null, headers }
      : { body: JSON.stringify(json), headers: { "content-type": "application/json", ...headers } };
  return new Request(new URL(target, "http://service.test"), { method: method ?? "GET", body: content.body, headers: content.headers ?? {} });
}
