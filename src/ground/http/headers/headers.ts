import { type ProblemError, problemAt } from "../../problem/index.js";
import type { RawHeaders } from "../message.js";
import { type MediaType, parseMediaType } from "./mediaType.js";
import { singletonRule } from "./singletons.js";

/**
 * The headers of a request by lower-case name, because frameworks disagree about repeated ones (first wins, last wins, joined).
 *
 * Repeated lines of a list header are joined with `, `, those of Cookie with `; `.
 *
 * @see RFC 9110 §5.3
 */
export class RequestHeaders {
  readonly #values = new Map<string, string>();
  #mediaType: MediaType | undefined | null = null;

  /**
   * @throws {ProblemError} REPEATED_HEADER for a second Content-Type, Authorization, Idempotency-Key, X-API-Key, X-API-Version, If-Modified-Since,
   * If-Unmodified-Since, a method override or Upload-*, as a second line or joined to the first by the host
   */
  constructor(raw: RawHeaders) {
    for (let index = 0; index < raw.length; index += 2) {
      this.#add((raw[index] ?? "").toLowerCase(), raw[index + 1] ?? "");
    }
  }

  /** The value of a header, `undefined` if it was not sent. */
  get(name: Lowercase<string>): string | undefined {
    return this.#values.get(name);
  }

  /** The type of the body, parsed once; `undefined` if the request names none, or one that cannot be parsed. */
  get mediaType(): MediaType | undefined {
    if (this.#mediaType === null) this.#mediaType = parseMediaType(this.get("content-type") ?? "");
    return this.#mediaType;
  }

  #add(name: string, value: string): void {
    const isJoined = singletonRule(name);
    const before = this.#values.get(name);
    if (isJoined !== undefined && (before !== undefined || (value.includes(",") && isJoined(value)))) throw repeated(name);
    this.#values.set(name, before === undefined ? value : before + (name === "cookie" ? "; " : ", ") + value);
  }
}

function repeated(name: string): ProblemError {
  const detail = `The header "${name.slice(0, 64)}" was sent more than once; it is allowed once in a request.`;
  return problemAt("REPEATED_HEADER", detail, { header: name.slice(0, 64) });
}
