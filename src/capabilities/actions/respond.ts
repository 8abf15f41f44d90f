import type { Responded } from "../../engine/resource/actions.js";
import { optionsCheck, passing, strict, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";

/** Options of {@link respond}. */
export interface RespondOptions {
  /** Status of the answer, from 200 to 399 (default: 200, or 204 without a value). */
  readonly status?: number | undefined;
  /** Further headers of the answer, such as `location`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const text = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that belong to the body or to the connection. */
const reserved: ReadonlySet<string> = new Set(["content-type", "content-length", "content-encoding", "transfer-encoding", "connection", "etag"]);

const checkOptions = /* @__PURE__ */ optionsCheck("respond", () =>
  strict<RespondOptions>({ status: whole(200, 399), headers: passing(`an object with headers, without ${[...reserved].join(", ")}`, areHeaders) }),
);

function areHeaders(headers: unknown): boolean {
  if (typeof headers !== "object" || headers === null) return false;
  return Object.entries(headers).every(
    ([name, value]) => token.test(name) && !reserved.has(name.toLowerCase()) && typeof value === "string" && text.test(value),
  );
}

const made = new WeakSet<object>();

/**
 * Answers a request with a value in place of the row. If the action has an `output`, it validates the value.
 *
 * @param value JSON; dates are sent as text in UTC and bigints as digits; `undefined` for an answer without a body
 * @throws {ConfigurationError} for an unknown option or an invalid value
 * @example
 * return respond({ refunded: 12 }, { headers: { "x-ledger": "7" } });
 */
export function respond<T>(value: T, options: RespondOptions = {}): Responded<T> {
  checkOptions(options);
  const { status = value === undefined ? 204 : 200, headers = {} } = options;
  if (value !== undefined && (status === 204 || status === 205 || status === 304)) {
    throw new ConfigurationError(`respond: an answer with status ${status} has no body; leave the value out.`);
  }
  const lower = Object.fromEntries(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]));
  const responded = Object.freeze({ value, status, headers: lower });
  made.add(responded);
  return responded;
}

/** Whether an action returned what {@link respond} made. */
export function isResponded(value: unknown): value is Responded {
  return typeof value === "object" && value !== null && made.has(value);
}
