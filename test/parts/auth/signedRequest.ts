import { createHash } from "node:crypto";
import { canonicalPath, parseQueryPairs } from "../../../src/parts/auth/aws4/canonicalTarget.js";
import { aws4Signature } from "../../../src/parts/auth/aws4/signature.js";
import type { WireRequest } from "./sentRequest.js";

/** What a signer gets; each part may be wrong on purpose. */
export interface Signing {
  readonly method?: string;
  readonly target?: string;
  /** Names in lower case. All are sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The names of the headers that are signed, if not all are. */
  readonly signed?: readonly string[];
  readonly body?: WireRequest["body"];
  /** What the signature covers in place of the SHA-256 of the body. */
  readonly payloadHash?: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly timestamp?: string;
  readonly region?: string;
  readonly service?: string;
}

export const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

export const signedAt = Date.UTC(2026, 0, 1);

interface Signed extends WireRequest {
  readonly signature: string;
  readonly credential: string;
  readonly names: string;
}

function sign(signing: Signing, headers: Readonly<Record<string, string>>, target: string): Signed {
  const { method = "GET", body, accessKeyId = "AKID", secretAccessKey = "secret", timestamp = "20260101T000000Z" } = signing;
  const { region = "local", service = "shop", signed = Object.keys(headers) } = signing;
  const [path = "", query = ""] = target.split("?");
  const request = {
    method,
    path: canonicalPath(path, service),
    query: parseQueryPairs(query),
    headers: Object.fromEntries(signed.map((name) => [name, Buffer.from(headers[name] ?? "", "latin1").toString()])),
    payloadHash: signing.payloadHash ?? headers["x-amz-content-sha256"] ?? sha256(typeof body === "string" ? body : ""),
  };
  const scope = { timestamp, region, service };
  return {
    method,
    target,
    headers: Object.entries(headers).flat(),
    body,
    signature: aws4Signature(request, secretAccessKey, scope),
    credential: `${accessKeyId}/${timestamp.slice(0, 8)}/${region}/${service}/aws4_request`,
    names: [...signed].sort().join(";"),
  };
}

/** A request with its signature in Authorization. */
export function signedRequest(signing: Signing = {}): WireRequest {
  const { timestamp = "20260101T000000Z", target = "/users" } = signing;
  const headers = { host: "shop.example", "x-amz-date": timestamp, ...signing.headers };
  const { signature, credential, names, ...wire } = sign(signing, headers, target);
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...wire, headers: [...wire.headers, "authorization", authorization] };
}

/** A presigned URL. @param parameters of the signature, where they differ from the usual ones; `undefined` leaves one out */
export function presignedRequest(signing: Signing = {}, parameters: Readonly<Record<string, string | undefined>> = {}): WireRequest {
  const { timestamp = "20260101T000000Z", target = "/users", accessKeyId = "AKID", region = "local", service = "shop" } = signing;
  const headers = { host: "shop.example", ...signing.headers };
  const query = Object.entries({
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${accessKeyId}/${timestamp.slice(0, 8)}/${region}/${service}/aws4_request`,
    "X-Amz-Date": timestamp,
    "X-Amz-Expires": "60",
    "X-Amz-SignedHeaders": Object.keys(headers).sort().join(";"),
    ...parameters,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]));
  const url = `${target}${target.includes("?") ? "&" : "?"}${query.join("&")}`;
  const { signature, credential: _credential, names: _names, ...wire } = sign(signing, headers, url);
  return { ...wire, target: `${url}&X-Amz-Signature=${signature}` };
}
