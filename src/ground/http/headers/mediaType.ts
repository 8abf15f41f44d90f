import { parse } from "content-type";

/** The value of a Content-Type header. */
export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly type: string;
  /** By lower-case name; their values as sent, without quotes. */
  readonly parameters: Readonly<Record<string, string>>;
}

const syntax = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * Parses a Content-Type header; `undefined` if it names no media type.
 *
 * @see RFC 9110 §8.3.1
 */
export function parseMediaType(header: string): MediaType | undefined {
  const { type, parameters } = parse(header);
  return syntax.test(type) ? { type, parameters } : undefined;
}

/**
 * Whether a media type is JSON: `application/json`, or any other `application/*+json`.
 *
 * @param type In lower case.
 * @see RFC 6839 §3.1
 */
export function isJson(type: string): boolean {
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json") && type.length > "application/+json".length);
}

/** Whether a body of this type is UTF-8: its charset says so or is absent. */
export function charsetIsUtf8({ parameters }: MediaType): boolean {
  const charset = parameters["charset"]?.toLowerCase();
  return charset === undefined || charset === "utf-8" || charset === "utf8";
}
