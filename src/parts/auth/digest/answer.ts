import { isUtf8 } from "node:buffer";
import { decodePercent } from "../../../ground/http/decodePercent.js";
import { type DigestAlgorithm, hashBytes, isHash } from "./algorithm.js";
import { parseParameters } from "./parameters.js";

/** What a client answers to a challenge of Digest. */
export interface DigestAnswer {
  readonly username: string;
  readonly realm: string;
  readonly algorithm: DigestAlgorithm;
  readonly nonce: string;
  /** How many requests were sent with this nonce, from 1. */
  readonly count: number;
  /** The request target, as the client knows it. */
  readonly uri: string;
  /** The client's hash, in hexadecimal. */
  readonly response: string;
  /** What is hashed between the user and the request: nonce, count, cnonce and qop as sent. */
  readonly middle: string;
}

/** `undefined` for a text that lacks a parameter, has one twice or has an invalid value, and for what was not offered: `auth-int`, hashed names, `-sess`. */
export function parseAnswer(text: string): DigestAnswer | undefined {
  const parameters = parseParameters(text);
  if (parameters === undefined || !required.every((name) => parameters.has(name))) return undefined;
  const get = (name: string) => parameters.get(name) ?? "";
  const [nonce, nc, cnonce, qop, uri, response] = [get("nonce"), get("nc"), get("cnonce"), get("qop"), get("uri"), get("response")];
  const algorithm = algorithms.get((parameters.get("algorithm") ?? "MD5").toUpperCase());
  const username = readUsername(parameters);
  const isHashed = (parameters.get("userhash") ?? "false").toLowerCase() !== "false";
  if (username === undefined || algorithm === undefined || isHashed || !isHash(algorithm, response)) return undefined;
  const count = /^[0-9a-f]{8}$/i.test(nc) ? Number.parseInt(nc, 16) : 0;
  if (count === 0 || qop !== "auth" || nonce === "" || cnonce === "" || uri === "") return undefined;
  return { username, realm: get("realm"), algorithm, nonce, count, uri, response, middle: `${nonce}:${nc}:${cnonce}:${qop}` };
}

const required = ["realm", "nonce", "nc", "cnonce", "qop", "uri", "response"];

const algorithms: ReadonlyMap<string, DigestAlgorithm> = new Map([
  ["SHA-256", "SHA-256"],
  ["MD5", "MD5"],
]);

const control = /\p{Cc}/u;

/** `username` has the bytes of UTF-8, one a character, as hosts read headers; `username*` is percent-encoded (RFC 8187). Only one may be sent. */
function readUsername(parameters: ReadonlyMap<string, string>): string | undefined {
  const [plain, extended] = [parameters.get("username"), parameters.get("username*")];
  if ((plain === undefined) === (extended === undefined)) return undefined;
  const username = plain === undefined ? decodeExtended(extended ?? "") : decodeBytes(plain);
  return username === undefined || control.test(username) ? undefined : username;
}

function decodeBytes(text: string): string | undefined {
  const bytes = Buffer.from(text, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

function decodeExtended(value: string): string | undefined {
  const [, encoded] = /^UTF-8'[A-Za-z0-9-]*'((?:%[0-9A-F]{2}|[!#$&+.^_`|~0-9A-Za-z-])*)$/i.exec(value) ?? [];
  return encoded && decodePercent(encoded);
}

/**
 * The hash that the client must have sent.
 *
 * @param ha1 the hash of the user, in hexadecimal
 * @see RFC 7616 §3.4.1
 */
export function expectedResponse({ algorithm, middle, uri }: DigestAnswer, method: string, ha1: string): string {
  return hashBytes(algorithm, `${ha1}:${middle}:${hashBytes(algorithm, `${method}:${uri}`)}`);
}
