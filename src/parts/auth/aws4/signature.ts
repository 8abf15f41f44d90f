import { createHash, createHmac } from "node:crypto";
import { type Aws4Request, canonicalRequest } from "./canonicalRequest.js";

/** Where and when a signature is valid. */
export interface Aws4Scope {
  /** `20130524T000000Z`. */
  readonly timestamp: string;
  readonly region: string;
  /** `s3`. */
  readonly service: string;
}

/** The name of the scheme, in headers and in queries. */
export const aws4Scheme = "AWS4-HMAC-SHA256";

/** An instant as signatures write it: `20130524T000000Z`. */
export function aws4Timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, "");
}

/** The instant of such a text in milliseconds since the epoch; `undefined` for anything else. */
export function parseAws4Timestamp(text: string): number | undefined {
  const ms = Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  return Number.isNaN(ms) || aws4Timestamp(ms) !== text ? undefined : ms;
}

/** The scope as credentials contain it: `20130524/us-east-1/s3/aws4_request`. */
export function formatScope({ timestamp, region, service }: Aws4Scope): string {
  return `${timestamp.slice(0, 8)}/${region}/${service}/aws4_request`;
}

/** The signature of a request, in hexadecimal digits. */
export function aws4Signature(request: Aws4Request, secretAccessKey: string, scope: Aws4Scope): string {
  const hash = createHash("sha256").update(canonicalRequest(request)).digest("hex");
  const text = [aws4Scheme, scope.timestamp, formatScope(scope), hash].join("\n");
  return hmac(signingKey(secretAccessKey, scope), text).toString("hex");
}

function signingKey(secretAccessKey: string, scope: Aws4Scope): Buffer {
  return formatScope(scope)
    .split("/")
    .reduce(hmac, Buffer.from(`AWS4${secretAccessKey}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
