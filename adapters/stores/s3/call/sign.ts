import { type Aws4Request, type QueryPair, signedHeaders } from "../../../../src/parts/auth/aws4/canonicalRequest.js";
import { type Aws4Scope, aws4Scheme, aws4Signature, aws4Timestamp, formatScope } from "../../../../src/parts/auth/aws4/signature.js";
import type { S3Keys } from "../options.js";

export interface SigningOptions {
  readonly keys: S3Keys;
  readonly region: string;
  readonly nowMs: number;
}

/**
 * The headers of a request, with those of its signature.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function signRequest(request: Aws4Request, { keys, region, nowMs }: SigningOptions): Record<string, string> {
  const scope: Aws4Scope = { timestamp: aws4Timestamp(nowMs), region, service: "s3" };
  const token = keys.sessionToken === undefined ? {} : { "x-amz-security-token": keys.sessionToken };
  const headers: Record<string, string> = {
    ...request.headers,
    ...token,
    "x-amz-content-sha256": request.payloadHash,
    "x-amz-date": scope.timestamp,
  };
  const signature = aws4Signature({ ...request, headers }, keys.secretAccessKey, scope);
  const credential = `${keys.accessKeyId}/${formatScope(scope)}`;
  return { ...headers, authorization: `${aws4Scheme} Credential=${credential}, SignedHeaders=${signedHeaders({ headers })}, Signature=${signature}` };
}

/**
 * The query that authorises a request for some seconds.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export function presignQuery(
  request: Omit<Aws4Request, "payloadHash">,
  { keys, region, nowMs, expiresIn }: SigningOptions & { readonly expiresIn: number },
): readonly QueryPair[] {
  const scope: Aws4Scope = { timestamp: aws4Timestamp(nowMs), region, service: "s3" };
  const token: readonly QueryPair[] = keys.sessionToken === undefined ? [] : [["X-Amz-Security-Token", keys.sessionToken]];
  const query: readonly QueryPair[] = [
    ...request.query,
    ["X-Amz-Algorithm", aws4Scheme],
    ["X-Amz-Credential", `${keys.accessKeyId}/${formatScope(scope)}`],
    ["X-Amz-Date", scope.timestamp],
    ["X-Amz-Expires", String(expiresIn)],
    ["X-Amz-SignedHeaders", signedHeaders(request)],
    ...token,
  ];
  const signature = aws4Signature({ ...request, query, payloadHash: "UNSIGNED-PAYLOAD" }, keys.secretAccessKey, scope);
  return [...query, ["X-Amz-Signature", signature]];
}
